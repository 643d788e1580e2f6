#include "engine/mesh_error_observer.h"

#include <fmt/core.h>

#include <utility>

namespace dropmd {

MeshErrorObserver::MeshErrorObserver(const System& system, const Method& method, Timings& timings, Say say)
    : system_(system),
      method_(method),
      terms_(system, exact_method(method.cpu)),
      timings_(timings),
      say_(std::move(say)) {}

void MeshErrorObserver::observe(const Snapshot& s) {
  const std::size_t n = s.particles.size();
  if (!wants_state(s.step) || n == 0) return;
  const Timings::Scope scope(timings_, "error of the mesh");
  const std::vector<std::uint32_t> sample = even_sample(n, kAtoms);
  const std::vector<AtomSums> exact = terms_.reference({s.particles.position, s.time}, sample);
  const ForceErrors errors = force_errors(s.force, sample, exact, method_.precision);
  const double per_force = errors.scale / system_.mesh->force;
  const double rms = errors.rms * per_force, accuracy = system_.mesh->accuracy;
  say_(s.step, fmt::format("mesh: measured error {:.2g} of the RMS Coulomb force, worst atom {:.2g}{}", rms,
                           errors.worst * per_force,
                           rms <= accuracy ? ""
                                           : fmt::format(", more than the accuracy of {} (a smaller accuracy in "
                                                         "[coulomb] gives a finer mesh)",
                                                         accuracy)));
}

}  // namespace dropmd
