#include "python/interpreter.h"

#include <atomic>
#include <chrono>
#include <thread>

namespace dropmd::python {

namespace {

std::atomic<bool> is_ending = false;
std::atomic<int> n_waiting = 0;  // threads that are about to take the lock again
std::thread::id ends_it;         // set before is_ending

/// Lets threads that already wait for the lock have it; all others see that the process is ending.
void note_end() {
  ends_it = std::this_thread::get_id();
  is_ending = true;
  PyThreadState* const thread = PyEval_SaveThread();
  while (n_waiting > 0) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  PyEval_RestoreThread(thread);
}

}  // namespace

bool ending() { return is_ending && std::this_thread::get_id() != ends_it; }

InterpreterReleased::~InterpreterReleased() {
  ++n_waiting;
  if (ending()) {
    --n_waiting;
    for (;;) std::this_thread::sleep_for(std::chrono::hours(1));
  }
  PyEval_RestoreThread(thread_);
  --n_waiting;
}

/// The functions of atexit run in the reverse order of their registration, so those of users come first.
void watch_for_end(nanobind::module_& module) {
  module.def("_note_end", note_end);
  nanobind::module_::import_("atexit").attr("register")(module.attr("_note_end"));
}

}  // namespace dropmd::python
