#include "python/errors.h"

#include "core/errors.h"

namespace dropmd::python {

namespace {

template <class Exception>
void bind(nanobind::module_& module, const char* name, nanobind::handle base, ExitStatus status, const char* meaning) {
  const nanobind::exception<Exception> type(module, name, base);
  nanobind::setattr(type, "status", nanobind::int_(static_cast<int>(status)));
  nanobind::setattr(type, "__doc__", nanobind::str(meaning));
}

}  // namespace

/// Exceptions that are registered later are tried first, so the base class is registered first.
void bind_errors(nanobind::module_& module) {
  bind<Error>(module, "Error", PyExc_RuntimeError, ExitStatus::out_of_tolerance,
              "Base class of all errors of dropmd. `status` is the exit status of the program after such an error.");
  const nanobind::object base = module.attr("Error");
  bind<UsageError>(module, "UsageError", base, ExitStatus::usage, "A wrong setting in the form of the command line.");
  bind<InputError>(module, "InputError", base, ExitStatus::input,
                   "A wrong input. The message has FILE:LINE:COLUMN, what is wrong and what would be right.");
  bind<DeviceError>(module, "DeviceError", base, ExitStatus::device, "No usable GPU, or one that failed.");
  bind<PhysicsError>(module, "PhysicsError", base, ExitStatus::physics,
                     "The simulation broke down: atoms overlap, a number is not finite, or an atom moved too far.");
  bind<OutputError>(module, "OutputError", base, ExitStatus::output, "An output could not be written.");
}

}  // namespace dropmd::python
