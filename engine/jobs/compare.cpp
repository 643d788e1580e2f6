#include "engine/jobs/compare.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "core/statistics/median_time.h"
#include "engine/available_threads.h"
#include "engine/force_field.h"
#include "engine/mesh_fit.h"
#include "engine/methods/catalogue.h"
#include "engine/model/coulomb_division.h"
#include "engine/model/pair_atoms.h"
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

/// A system whose untruncated Coulomb term is computed in one of two ways.
struct Variant {
  std::optional<CoulombMethod> coulomb;
  System system;
};

/// Returns the mesh for a comparison; nullopt if there is none.
std::optional<CoulombMesh> mesh_for(const RunConfig& config, const System& system, const System& whole,
                                    Backend backend) {
  if (system.mesh) return system.mesh;
  const std::optional<CoulombDivision> division = possible_division(config, whole, backend);
  return division ? division->mesh : std::nullopt;
}

/// Returns the system in every way in which its Coulomb term can be computed; the first is the undivided one.
std::vector<Variant> variants_of(const RunConfig& config, const System& system) {
  std::vector<Variant> variants{{std::nullopt, undivided(system)}};
  if (!is_untruncated(variants.front().system)) return variants;
  variants.front().coulomb = CoulombMethod::direct;
  const Backend backend = choose_processor(config).backend;
  if (const auto mesh = mesh_for(config, system, variants.front().system, backend)) {
    variants.push_back({CoulombMethod::mesh, with_mesh(variants.front().system, *mesh, backend, config.precision)});
  }
  return variants;
}

/// Returns the methods of a variant; none if the named method suits not this variant but another one.
std::vector<Method> methods_of(const RunConfig& config, const Variant& variant, bool only_one,
                               std::optional<Precision> precision) {
  const System& system = variant.system;
  if (!only_one && variant.coulomb == CoulombMethod::direct && needs_cutoff(config.neighbor)) return {};
  std::vector<Method> methods = available_methods(config, system.model, system.particles.size(), precision);
  if (system.mesh && system.mesh->accuracy < kFinestMixedAccuracy)
    std::erase_if(methods, [](const Method& method) { return method.precision == Precision::mixed; });
  return methods;
}

/// Returns the method that is most like that of a run: of its processor and precision, if there is one, and with a list
/// rather than all pairs.
const Method& usual_method(const RunConfig& config, const std::vector<Method>& methods) {
  const Backend backend = choose_processor(config).backend;
  const auto usual = std::find_if(methods.rbegin(), methods.rend(), [&](const Method& method) {
    return method.backend == backend && method.precision == config.precision;
  });
  return usual == methods.rend() ? methods.back() : *usual;
}

/// The exact forces of a sample, and the energies and the pairs of all atoms.
struct Reference {
  std::vector<std::uint32_t> sample;
  std::vector<AtomSums> atoms;  ///< [sample]
  PairSums pairs;
  Energies energies;
  double absolute_energy = 0;
};

CompareRow compared(const Variant& variant, const Method& method, const Reference& reference,
                    std::uint64_t pairs_within_cutoff) {
  const std::vector<Vec3<double>>& position = variant.system.particles.position;
  std::vector<Vec3<double>> force(position.size());
  CompareRow row;
  row.method = method;
  row.coulomb = variant.coulomb;
  ForceField forces(variant.system, method);
  const ForceField::Result result = forces.evaluate({position}, Want::forces_and_energies, force);
  row.energies = result.energies;
  row.sums = result.pairs;
  const ForceErrors errors = force_errors(force, reference.sample, reference.atoms, method.precision);
  row.rms_force_error = errors.rms;
  row.worst_force_error = errors.worst;
  row.worst_atom = reference.sample.empty() ? 0 : errors.worst_atom + 1;
  const double error = std::abs(row.energies.potential() - reference.energies.potential());
  row.relative_energy_error = reference.absolute_energy > 0 ? error / reference.absolute_energy : error;
  row.microseconds = median_microseconds([&] { forces.evaluate({position}, Want::forces_and_energies, force); }, 3);
  const Bounds bounds = bounds_of(variant.system, method.precision, errors.scale);
  row.ok = row.relative_energy_error <= bounds.energy && errors.rms <= bounds.rms_force &&
           errors.worst <= bounds.worst_force &&
           (method.precision == Precision::mixed || row.sums.pairs_within_cutoff == pairs_within_cutoff);
  return row;
}

/// Returns the fastest row of a processor and a precision with a Coulomb term of one kind; null without one.
const CompareRow* fastest(const std::vector<CompareRow>& rows, const Method& like, CoulombMethod coulomb) {
  const CompareRow* best = nullptr;
  for (const CompareRow& row : rows)
    if (row.coulomb == coulomb && row.method.backend == like.backend && row.method.precision == like.precision &&
        (best == nullptr || row.microseconds < best->microseconds))
      best = &row;
  return best;
}

std::vector<MeshCrossover> crossovers_of(const RunConfig& config, const System& whole,
                                         const std::vector<CompareRow>& rows) {
  std::vector<MeshCrossover> all;
  for (const CompareRow& row : rows) {
    const CompareRow* const direct = fastest(rows, row.method, CoulombMethod::direct);
    const CompareRow* const mesh = fastest(rows, row.method, CoulombMethod::mesh);
    if (&row != direct || mesh == nullptr) continue;
    MeshCrossover crossover{row.method, direct->microseconds, mesh->microseconds};
    crossover.measured_atoms = static_cast<double>(whole.particles.size()) * mesh->microseconds / direct->microseconds;
    crossover.estimated_atoms = mesh_crossover(config, whole, row.method.backend);
    all.push_back(crossover);
  }
  return all;
}

}  // namespace

bool Comparison::ok() const {
  return std::all_of(rows.begin(), rows.end(), [](const CompareRow& row) { return row.ok; });
}

Comparison compare_methods(const RunConfig& config, std::optional<std::size_t> sample,
                           std::optional<Precision> precision) {
  return compare_methods(read_system_at_rest(config), config, sample, precision);
}

Comparison compare_methods(const System& system, const RunConfig& config, std::optional<std::size_t> sample_size,
                           std::optional<Precision> precision) {
  PhysicsGuard(system).check_start();
  std::vector<Variant> variants = variants_of(config, system);
  const System& whole = variants.front().system;
  const auto& position = whole.particles.position;
  const ExcludedPairs excluded = excluded_pairs(whole);
  const PairAtoms atoms = pair_atoms(whole, excluded);
  const Cpu cpu{config.threads > 0 ? config.threads : available_threads()};

  Comparison comparison;
  comparison.units = system.units;
  comparison.warnings = system.warnings;
  comparison.n_atoms = position.size();
  Reference reference;
  reference.sample = even_sample(
      position.size(), sample_size.value_or(position.size() <= kCompareAllUpTo ? position.size() : kCompareSample));
  comparison.n_sampled = reference.sample.size();
  const ForceField exact(whole, exact_method(cpu));
  reference.atoms = exact.reference({position}, reference.sample);
  const auto fp64 = [&](const PairModel& model) {
    std::vector<Vec3<double>> force(position.size());
    return make_all_pairs(cpu, Precision::fp64, model, atoms)->evaluate(position, force, Want::forces_and_energies);
  };
  const bool all_sampled = reference.sample.size() == position.size();
  reference.pairs = all_sampled ? total_of(reference.atoms) : fp64(whole.model);
  reference.energies = exact.reference_energies({position}, reference.pairs);
  reference.absolute_energy = absolute_energy(reference.atoms, position.size());
  for (const auto& [name, energy] : reference.energies.components())
    if (name != kVdwEnergy && name != kCoulombEnergy) reference.absolute_energy += std::abs(energy);
  comparison.reference = reference.pairs;
  comparison.reference_energies = reference.energies;
  comparison.absolute_energy = reference.absolute_energy;
  comparison.untruncated = is_truncated(whole.model) ? fp64(without_cutoffs(whole.model)) : comparison.reference;

  for (Variant& variant : variants) {
    const std::vector<Method> methods = methods_of(config, variant, variants.size() == 1, precision);
    if (methods.empty()) continue;
    fit_mesh(variant.system, config, usual_method(config, methods));
    comparison.mesh = variant.system.mesh;
    const std::uint64_t within =
        variant.system.mesh ? fp64(variant.system.model).pairs_within_cutoff : reference.pairs.pairs_within_cutoff;
    for (const Method& method : methods) comparison.rows.push_back(compared(variant, method, reference, within));
  }
  comparison.crossovers = crossovers_of(config, whole, comparison.rows);
  return comparison;
}

}  // namespace dropmd
