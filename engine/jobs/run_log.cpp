#include "engine/jobs/run_log.h"

#include <fmt/core.h>

#include <string>

#include "core/terminal_text.h"
#include "core/version.h"
#include "engine/molecules/molecules.h"

namespace dropmd {

namespace {

std::string to_text(const SelfCheckSummary& check) {
  return fmt::format(
      "  self-check of {} atoms every {} steps, {} times: forces within {:.1e} RMS (step {}; bound {:g}), {:.1e} worst "
      "(atom {}, step {}; bound {:g})\n",
      check.atoms, check.every, check.checks, check.rms.error, check.rms.step, check.rms.bound, check.worst.error,
      check.worst.atom, check.worst.step, check.worst.bound);
}

/// For a run with a ledger.
std::string conserved_text(const EnergyRow& row, const Units& units) {
  const auto conserved = row.conserved();
  return conserved ? fmt::format("conserved {:.10g} {}, ", *conserved, units.energy) : std::string();
}

}  // namespace

void log_start(std::ostream& out, const RunConfig& config, const Method& method, const System& system,
               std::optional<std::int64_t> resumed_from) {
  if (!method.note.empty()) out << "dropmd: " << method.note << '\n';
  out << fmt::format("dropmd {}: {} atoms, {}, {} precision, {}, integrator {}, {} steps{}\n", kVersion,
                     system.particles.size(), method.device_name, word_of(method.precision), word_of(method.neighbor),
                     config.integrator.form, config.steps,
                     resumed_from ? fmt::format(", resumed from step {}", *resumed_from) : "")
      << std::flush;
  if (system.molecules) out << "dropmd: " << describe_molecules(system) << '\n' << std::flush;
}

void log_end(std::ostream& out, const RunSummary& summary, const Units& units) {
  const Energies& e = summary.last.energies;
  out << fmt::format("{} after step {} in {:.2f} s: potential {:.10g}, total {:.10g} {}, {}temperature {:.4g} {}\n",
                     word_of(summary.end), summary.steps, summary.seconds, e.potential(), e.total(), units.energy,
                     conserved_text(summary.last, units), summary.last.temperature, units.temperature);
  if (summary.self_check) out << to_text(*summary.self_check);
  for (const auto& path : summary.written) out << "  wrote " << without_commands(path.string()) << '\n';
}

std::string_view word_of(RunEnd end) {
  switch (end) {
    case RunEnd::finished:
      return "finished";
    case RunEnd::converged:
      return "converged";
    case RunEnd::dried_up:
      return "dried up";
    case RunEnd::not_converged:
      return "not converged";
    case RunEnd::out_of_tolerance:
      return "out of tolerance";
    case RunEnd::out_of_time:
      return "out of time";
    case RunEnd::interrupted:
      break;
  }
  return "interrupted";
}

}  // namespace dropmd
