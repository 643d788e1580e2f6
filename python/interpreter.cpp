#include "python/interpreter.h"

#include <atomic>
#include <chrono>
#include <thread>

namespace dropmd::python {

namespace {

std::atomic<bool> is_ending = false;
std::thread::id ends_it;  // set before is_ending

}  // namespace

bool ending() { return is_ending.load() && std::this_thread::get_id() != ends_it; }

InterpreterReleased::~InterpreterReleased() {
  while (ending()) std::this_thread::sleep_for(std::chrono::hours(1));
  PyEval_RestoreThread(thread_);
}

/// The functions of atexit run in the reverse order of their registration, so those of users come first.
void watch_for_end(nanobind::module_& module) {
  module.def("_note_end", [] {
    ends_it = std::this_thread::get_id();
    is_ending = true;
  });
  nanobind::module_::import_("atexit").attr("register")(module.attr("_note_end"));
}

}  // namespace dropmd::python
