#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <string>
#include <vector>

#include "app/program.h"
#include "core/version.h"
#include "python/errors.h"
#include "python/frames_type.h"
#include "python/interpreter.h"
#include "python/simulation_type.h"

namespace nb = nanobind;

NB_MODULE(_dropmd, module) {
  if (!dropmd::cpu_suffices()) throw nb::import_error("this build of dropmd needs a CPU with more vector instructions");
  module.attr("version") = std::string(dropmd::kFullVersion);
  dropmd::python::bind_errors(module);
  dropmd::python::bind_simulation(module);
  dropmd::python::bind_frames(module);
  // Threads that still run when the program ends keep their simulations, which is no mistake of the user.
  nb::set_leak_warnings(false);
  dropmd::python::watch_for_end(module);
  module.def("run_program", [](const std::vector<nb::bytes>& arguments) {  // names of files need not be UTF-8
    std::vector<const char*> words;
    for (const nb::bytes& argument : arguments) words.push_back(argument.c_str());
    const dropmd::python::InterpreterReleased released;
    return dropmd::run_program(words);
  });
}
