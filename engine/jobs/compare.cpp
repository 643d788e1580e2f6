#include "engine/jobs/compare.h"

#include <algorithm>
#include <cmath>

#include "core/median_time.h"
#include "engine/available_threads.h"
#include "engine/force_field.h"
#include "engine/physics_guard.h"
#include "forces/pair/brute_force.h"
#include "inputs/run_file/run_config.h"
#include "inputs/structures/structure_file.h"

namespace dropmd {

namespace {

bool is_truncated(const PairModel& model) {
  return (model.vdw() && model.vdw()->has("cutoff")) || (model.coulomb && model.coulomb->has("cutoff"));
}

PairModel without_cutoffs(PairModel model) {
  for (auto* vdw : {&model.lj, &model.born_mayer})
    if (*vdw) *vdw = FormChoice{"none"};
  if (model.coulomb) model.coulomb = FormChoice{"exact"};
  return model;
}

PairSums total_of(std::span<const AtomSums> atoms) {
  PairSums total;
  for (const AtomSums& a : atoms) {
    total.vdw += 0.5 * a.vdw;
    total.coulomb += 0.5 * a.coulomb;
    total.pairs_within_cutoff += a.within;
  }
  total.pairs_within_cutoff /= 2;
  total.candidate_pairs = atoms.size() * (atoms.size() - (atoms.empty() ? 0 : 1)) / 2;
  return total;
}

/// Returns Σ|u| of the pairs of n atoms, extrapolated from the atoms that were summed.
double absolute_energy(std::span<const AtomSums> sampled, std::size_t n) {
  double sum = 0;
  for (const AtomSums& a : sampled) sum += 0.5 * a.absolute;
  return sampled.empty() ? 0 : sum * static_cast<double>(n) / static_cast<double>(sampled.size());
}

}  // namespace

bool Comparison::ok() const {
  return std::all_of(rows.begin(), rows.end(), [](const CompareRow& row) { return row.ok; });
}

Comparison compare_methods(const RunConfig& config, std::optional<std::size_t> sample,
                           std::optional<Precision> precision) {
  return compare_methods(build_system(config, read_structure_file(config.structure)), config, sample, precision);
}

Comparison compare_methods(const System& system, const RunConfig& config, std::optional<std::size_t> sample_size,
                           std::optional<Precision> precision) {
  PhysicsGuard(system).check_start();
  const auto& position = system.particles.position;
  const PairAtoms atoms{system.particles.charge, system.particles.pair_species};
  const Cpu cpu{config.threads > 0 ? config.threads : available_threads()};

  Comparison comparison;
  comparison.units = system.units;
  comparison.warnings = system.warnings;
  comparison.n_atoms = position.size();
  const auto sample = even_sample(
      position.size(), sample_size.value_or(position.size() <= kCompareAllUpTo ? position.size() : kCompareSample));
  comparison.n_sampled = sample.size();
  const ForceField exact(system, exact_method(cpu));
  const auto reference = exact.reference({position}, sample);
  std::vector<Vec3<double>> force(position.size());
  const auto fp64 = [&](const PairModel& model) {
    return make_all_pairs(cpu, Precision::fp64, model, atoms)->evaluate(position, force, Want::forces_and_energies);
  };
  comparison.reference = sample.size() == position.size() ? total_of(reference) : fp64(system.model);
  comparison.reference_energies = exact.reference_energies({position}, comparison.reference);
  if (system.mesh) comparison.reference.coulomb = comparison.reference_energies.of(kCoulombEnergy);
  comparison.absolute_energy = absolute_energy(reference, position.size());
  for (const auto& [name, energy] : comparison.reference_energies.components())
    if (name != kVdwEnergy && name != kCoulombEnergy) comparison.absolute_energy += std::abs(energy);
  comparison.untruncated = is_truncated(system.model) ? fp64(without_cutoffs(system.model)) : comparison.reference;

  for (const Method& method : available_methods(config, system.model, position.size(), precision)) {
    CompareRow row;
    row.method = method;
    ForceField forces(system, method);
    const ForceField::Result result = forces.evaluate({position}, Want::forces_and_energies, force);
    row.energies = result.energies;
    row.sums = result.pairs;
    const ForceErrors errors = force_errors(force, sample, reference, method.precision);
    row.rms_force_error = errors.rms;
    row.worst_force_error = errors.worst;
    row.worst_atom = sample.empty() ? 0 : errors.worst_atom + 1;
    const double error = std::abs(row.energies.potential() - comparison.reference_energies.potential());
    row.relative_energy_error = comparison.absolute_energy > 0 ? error / comparison.absolute_energy : error;
    row.microseconds = median_microseconds([&] { forces.evaluate({position}, Want::forces_and_energies, force); }, 3);
    const Bounds bounds = bounds_of(system, method.precision, errors.scale);
    row.ok = row.relative_energy_error <= bounds.energy && errors.rms <= bounds.rms_force &&
             errors.worst <= bounds.worst_force &&
             (method.precision == Precision::mixed ||
              row.sums.pairs_within_cutoff == comparison.reference.pairs_within_cutoff);
    comparison.rows.push_back(row);
  }
  return comparison;
}

}  // namespace dropmd
