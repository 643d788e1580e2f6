#include "engine/jobs/run_log.h"

#include <fmt/core.h>

#include "core/version.h"
#include "engine/molecules/molecules.h"

namespace dropmd {

void log_start(std::ostream& out, const RunConfig& config, const Method& method, const System& system,
               std::optional<std::int64_t> resumed_from) {
  if (!method.note.empty()) out << "dropmd: " << method.note << '\n';
  out << fmt::format("dropmd {}: {} atoms, {}, {} precision, {}, integrator {}, {} steps{}\n", kVersion,
                     system.particles.size(), method.device_name, word_of(method.precision), word_of(method.neighbor),
                     config.integrator.form, config.steps,
                     resumed_from ? fmt::format(", on from step {}", *resumed_from) : "")
      << std::flush;
  if (system.molecules) out << "dropmd: " << describe_molecules(system) << '\n' << std::flush;
}

}  // namespace dropmd
