#include "engine/mesh_check.h"

#include <fmt/core.h>

#include <algorithm>
#include <vector>

#include "engine/force_errors.h"
#include "engine/force_field.h"
#include "engine/model/coulomb_division.h"
#include "engine/molecules/site_forces.h"

namespace dropmd {

namespace {

/// An error of the mesh, relative to the RMS Coulomb force.
struct MeshError {
  double rms = 0, worst = 0;
  double rounding = 0;  ///< what rounding of all forces may add
};

MeshError measured(const MeshCheck::Seen& now, const System& system) {
  const auto& position = system.particles.position;
  const std::vector<std::uint32_t> sample = even_sample(position.size(), MeshCheck::kAtoms);
  const ForceField terms(system, exact_method(now.method.cpu));
  const std::vector<AtomSums> exact = spread_reference(terms, system, {position, now.time}, sample);
  const ForceErrors errors = force_errors(now.force, sample, exact, now.method.precision);
  const double per_force = errors.scale / system.mesh->force;
  return {errors.rms * per_force, errors.worst * per_force, bounds_of(now.method.precision).rms_force * per_force};
}

/// Returns another mesh of a system in words.
std::string text_of(const CoulombMesh& mesh, const MeshCheck::Seen& now, const System& system) {
  return describe_mesh(with_mesh(system, mesh, now.method.backend, now.method.precision), now.method.backend);
}

}  // namespace

std::int64_t MeshCheck::next_from(std::int64_t step, const OuterSteps& outer) const {
  const std::int64_t every = outer.from(every_), sooner = outer.from(every_ / kSooner);
  if (step > 0 && step <= sooner && sooner < every) return sooner;
  return (step + every - 1) / every * every;
}

std::optional<CoulombMesh> MeshCheck::other(const Seen& now, System& system) const {
  CoulombMesh& mesh = *system.mesh;
  if (system.particles.size() == 0 || !(mesh.force > 0)) return std::nullopt;
  const MeshError error = measured(now, system);
  const bool is_first = !mesh.fitted;
  mesh.fitted = true;
  const std::string text =
      fmt::format("mesh: measured error {:.2g} of the RMS Coulomb force, worst atom {:.2g}", error.rms, error.worst);
  if (error.rms > mesh.accuracy) return finer(now, system, error.rms, error.rounding, text);
  mesh.refinements = 0;
  say_(now.step, text);
  return now.step == 0 && is_first ? coarser(now, system, error.rms) : std::nullopt;
}

std::optional<CoulombMesh> MeshCheck::coarser(const Seen& now, const System& system, double error) const {
  const std::optional<CoulombMesh> mesh = coarser_mesh(*system.mesh, error, system, now.method.cpu, now.method.backend);
  if (mesh) say_(now.step, "a cheaper mesh suffices; " + text_of(*mesh, now, system));
  return mesh;
}

std::optional<CoulombMesh> MeshCheck::finer(const Seen& now, const System& system, double error, double rounding,
                                            const std::string& text) const {
  const CoulombMesh& mesh = *system.mesh;
  const std::string exceeds = fmt::format("{}, more than the accuracy of {:g}", text, mesh.accuracy);
  if (error <= mesh.accuracy + rounding) {
    say_(now.step, fmt::format("{}, of which rounding may be {:.2g} (use double precision)", exceeds, rounding));
    return std::nullopt;
  }
  if (mesh.fixed_spacing) {
    say_(now.step, exceeds + " (a smaller mesh-spacing in [coulomb], or none, gives a finer mesh)");
    return std::nullopt;
  }
  if (mesh.refinements >= kMostRefinements) {
    say_(now.step,
         fmt::format("{}, even after {} refinements: the spacing is not the cause", exceeds, kMostRefinements));
    return std::nullopt;
  }
  // A measurement that calls for less does not follow the error law, and a mesh of any size could result from it.
  constexpr double kLeast = 0.02;
  const double factor = std::max(kLeast, mesh.accuracy / (kErrorMargin * error));
  CoulombMesh finer = mesh;
  finer.parameters = finer_mesh(mesh.parameters, factor);
  finer.error = factor * error;
  ++finer.refinements;
  say_(now.step, fmt::format("{}: refined; {}", exceeds, text_of(finer, now, system)));
  return finer;
}

void MeshCheck::say_change(std::int64_t step, double energy, const Units& units) const {
  say_(step, fmt::format("mesh: the finer mesh changes the energy by {:.3g} {}", energy, units.energy));
}

}  // namespace dropmd
