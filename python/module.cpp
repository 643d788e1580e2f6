#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <string>
#include <vector>

#include "app/program.h"
#include "core/version.h"
#include "python/errors.h"
#include "python/simulation_type.h"

namespace nb = nanobind;

NB_MODULE(_dropmd, module) {
  if (!dropmd::cpu_suffices()) throw nb::import_error("this build of dropmd needs a CPU with more vector instructions");
  module.attr("version") = std::string(dropmd::kVersion);
  dropmd::python::bind_errors(module);
  dropmd::python::bind_simulation(module);
  module.def("run_program", [](const std::vector<std::string>& arguments) {
    std::vector<const char*> words;
    for (const std::string& argument : arguments) words.push_back(argument.c_str());
    const nb::gil_scoped_release released;
    return dropmd::run_program(words);
  });
}
