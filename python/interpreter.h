#pragma once

#include <nanobind/nanobind.h>

/// The lock of Python's interpreter during long work.
namespace dropmd::python {

/// While it exists, other threads of Python run. At the end of the process a thread that wants the lock again waits
/// for ever: Python would end it, which C++ does not survive.
class InterpreterReleased {
 public:
  InterpreterReleased() : thread_(PyEval_SaveThread()) {}
  ~InterpreterReleased();
  InterpreterReleased(const InterpreterReleased&) = delete;
  InterpreterReleased& operator=(const InterpreterReleased&) = delete;

 private:
  PyThreadState* thread_;
};

/// Whether the process is ending, and this is not the thread that ends it.
bool ending();

/// To be called once: lets ending() know.
void watch_for_end(nanobind::module_& module);

}  // namespace dropmd::python
