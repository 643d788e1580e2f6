#include "engine/model/coulomb_division.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <memory>
#include <span>
#include <stdexcept>
#include <vector>

#include "core/errors.h"
#include "engine/available_threads.h"
#include "engine/bytes_text.h"
#include "engine/methods/step_prices.h"
#include "engine/model/pair_atoms.h"
#include "forces/mesh/charge_statistics.h"
#include "forces/mesh/mesh_region.h"
#include "forces/mesh/mesh_term.h"
#include "forces/mesh/split_polynomial.h"
#include "forces/pair/coulomb_short_range.h"
#include "inputs/run_file/run_config.h"
#include "inputs/run_file/sections/coulomb_section.h"

namespace dropmd {

namespace {

[[noreturn]] void refuse(const RunConfig& config, const std::string& message) {
  throw InputError({config.file.string()}, message);
}

/// Whether the van der Waals term, if there is one, has a cutoff: with a mesh, pairs end at the cutoff of the mesh.
bool allows_mesh(const System& system) {
  return !system.model.vdw() || std::isfinite(PairModel::cutoff_of(system.model.vdw()));
}

const StepPrices& direct_prices(Backend backend) {
  return backend == Backend::cuda ? gpu_prices::kAllPairs : cpu_prices::kAllPairs;
}

/// Cutoffs that are tried: that of the van der Waals pairs, which are computed in any case, and longer ones; without
/// such pairs some multiples of the distance between atoms.
std::vector<double> cutoffs_of(const System& system, const ChargeStatistics& charges) {
  const double vdw = PairModel::cutoff_of(system.model.vdw());
  std::vector<double> cutoffs;
  if (vdw > 0) {
    for (const double factor : {1.0, 1.15, 1.3, 1.5, 1.75, 2.0}) cutoffs.push_back(factor * vdw);
  } else {
    const double distance = charges.density > 0 ? 1 / std::cbrt(charges.density) : 1;
    for (const double factor : {2.0, 2.4, 2.9, 3.5, 4.2, 5.0, 6.0}) cutoffs.push_back(factor * distance);
  }
  return cutoffs;
}

double accuracy_of(const RunConfig& config) { return config.coulomb_settings.accuracy.value_or(kUsualMeshAccuracy); }

Cpu threads_of(const RunConfig& config) { return {config.threads > 0 ? config.threads : available_threads()}; }

ChargeStatistics statistics_of(Cpu cpu, const System& system) {
  return ChargeStatistics::of(cpu, system.model.coulomb_constant, system.particles.position, system.particles.charge,
                              excluded_pairs(system));
}

/// The division by a mesh, with the times of both.
CoulombDivision division_by_mesh(const RunConfig& config, const System& system, const ChargeStatistics& charges,
                                 Backend backend) {
  constexpr double kMicro = 1e-3;  // microseconds per nanosecond
  const int every = config.coulomb_settings.mesh_every.value_or(1);
  const MeshPlan plan = plan_mesh(charges, system.model.coulomb_constant, config.coulomb_settings,
                                  cutoffs_of(system, charges), at_interval(mesh_prices(backend), every));
  const StepPrices& direct = direct_prices(backend);
  const auto n = static_cast<double>(charges.n_atoms);
  CoulombMesh mesh{plan.parameters, accuracy_of(config), plan.error,
                   charges.force_scale(system.model.coulomb_constant)};
  mesh.fixed_spacing = config.coulomb_settings.mesh_spacing.has_value();
  mesh.fixed_order = config.coulomb_settings.mesh_order.has_value();
  return {mesh, direct.step + kMicro * n * (direct.atom + 0.5 * direct.pair * n),
          mesh_step_price(backend) / every + kMicro * (direct.atom * n + plan.cost)};
}

CoulombDivision division_by_mesh(const RunConfig& config, const System& system, Backend backend) {
  return division_by_mesh(config, system, statistics_of(threads_of(config), system), backend);
}

/// Whether the estimated error of the mesh exceeds its accuracy.
bool misses_accuracy(const CoulombMesh& mesh) { return mesh.error * kErrorMargin > 1.001 * mesh.accuracy; }

/// Returns the statistics of a droplet with this many times the atoms, of equal density.
ChargeStatistics times(ChargeStatistics charges, double factor) {
  const auto more = [factor](std::size_t n) {
    return static_cast<std::size_t>(std::round(factor * static_cast<double>(n)));
  };
  charges.n_atoms = more(charges.n_atoms);
  charges.n_charged = more(charges.n_charged);
  charges.sum_q2 *= factor;
  charges.sum_q4 *= factor;
  charges.extents.n_charges = more(charges.extents.n_charges);
  for (ChargeExtents::Extent& extent : charges.extents.extents) {
    extent.outside = more(extent.outside);
    extent.cuboid.low = std::cbrt(factor) * extent.cuboid.low;
    extent.cuboid.high = std::cbrt(factor) * extent.cuboid.high;
    for (double& pairs : extent.pairs) pairs *= factor;
  }
  return charges;
}

}  // namespace

bool is_untruncated(const System& system) {
  return system.model.coulomb && system.model.coulomb->form == kExactCoulomb;
}

bool has_charges(const System& system) {
  return std::any_of(system.particles.charge.begin(), system.particles.charge.end(), [](double q) { return q != 0; });
}

CoulombDivision choose_division(const RunConfig& config, const System& system, Backend backend) {
  const CoulombSettings& settings = config.coulomb_settings;
  const bool named = settings.method == CoulombMethod::mesh;
  if (!is_untruncated(system) || settings.method == CoulombMethod::direct) return {};
  if (!named && !settings.accuracy) return {};
  if (config.precision == Precision::mixed && accuracy_of(config) < kFinestMixedAccuracy)
    refuse(config, fmt::format("an accuracy of {} in [coulomb] needs double precision (use --precision double, or an "
                               "accuracy of at least {})",
                               accuracy_of(config), kFinestMixedAccuracy));
  if (!allows_mesh(system)) {
    if (!named) return {};
    refuse(config,
           "a mesh cannot be combined with an untruncated van der Waals term, whose pairs are all summed (give a "
           "cutoff in [lennard-jones], or method = \"direct\" in [coulomb])");
  }
  if (!has_charges(system)) return {};
  const CoulombDivision division = division_by_mesh(config, system, backend);
  if (named && misses_accuracy(*division.mesh))
    refuse(config,
           fmt::format("the mesh with these settings has an error of {:.2g}, more than the accuracy of {} (leave "
                       "out mesh-spacing, mesh-order or mesh-cutoff in [coulomb])",
                       division.mesh->error, accuracy_of(config)));
  if (!named && division.direct_time <= division.mesh_time) return {};
  return division;
}

std::optional<CoulombDivision> possible_division(const RunConfig& config, const System& system, Backend backend) {
  if (!is_untruncated(system) || !allows_mesh(system) || !has_charges(system)) return std::nullopt;
  const CoulombDivision division = division_by_mesh(config, system, backend);
  return misses_accuracy(*division.mesh) ? std::nullopt : std::optional(division);
}

std::optional<double> mesh_crossover(const RunConfig& config, const System& system, Backend backend) {
  constexpr double kFewest = 10, kMost = 1e7, kFactor = 1.05;
  if (!possible_division(config, system, backend)) return std::nullopt;
  const ChargeStatistics charges = statistics_of(threads_of(config), system);
  // From above, since few atoms take the same time either way.
  std::optional<double> least;
  for (double n = kMost; n > kFewest; n /= kFactor) {
    const ChargeStatistics other = times(charges, n / static_cast<double>(charges.n_atoms));
    const CoulombDivision division = division_by_mesh(config, system, other, backend);
    if (division.mesh_time >= division.direct_time) break;
    least = n;
  }
  return least;
}

const MeshTerm* mesh_term_of(const System& system) {
  for (const auto& term : system.terms)
    if (const auto* const mesh = dynamic_cast<const MeshTerm*>(term.get())) return mesh;
  return nullptr;
}

System with_mesh(const System& system, const CoulombMesh& mesh, Backend backend, Precision precision) {
  System divided = undivided(system);
  divided.mesh = mesh;
  divide_coulomb(divided, mesh.parameters, backend, precision);
  return divided;
}

System undivided(const System& system) {
  System whole = system;
  if (!whole.mesh) return whole;
  whole.mesh.reset();
  whole.model.coulomb = FormChoice{std::string(kExactCoulomb)};
  std::erase_if(whole.terms, [](const auto& term) { return dynamic_cast<const MeshTerm*>(term.get()) != nullptr; });
  return whole;
}

void divide_coulomb(System& system, const MeshParameters& mesh, Backend backend, Precision precision) {
  const CoulombSplit split(mesh.cutoff, mesh.bandwidth);
  const int most =
      precision == Precision::mixed ? CoulombShortRange<float>::kMostDegree : CoulombShortRange<double>::kMostDegree;
  system.model.coulomb = short_range_choice(split, least_degree(split, mesh.fit_error, most).value_or(most));
  const MeshPrices prices = mesh_prices(backend);
  std::vector<Vec3<double>> position;
  std::vector<double> charge;
  for (std::size_t i = 0; i < system.particles.size(); ++i) {
    if (system.particles.charge[i] == 0) continue;
    position.push_back(system.particles.position[i]);
    charge.push_back(system.particles.charge[i]);
  }
  const MeshRegion region = RegionRule(mesh, prices).choose(position, charge);
  system.terms.push_back(std::make_shared<MeshTerm>(
      system.model.coulomb_constant, mesh, prices, system.model.coulomb,
      ExpectedMesh{region.box.points, region.coarse.box.points, precision}, system.topology));
}

std::optional<std::string> mesh_hint(const RunConfig& config, const System& system, Backend backend) {
  constexpr std::size_t kFew = 4'000;
  const CoulombSettings& settings = config.coulomb_settings;
  if (!is_untruncated(system) || settings.method != CoulombMethod::automatic || settings.accuracy) return std::nullopt;
  if (system.particles.size() < kFew || !allows_mesh(system) || !has_charges(system)) return std::nullopt;
  const CoulombDivision division = division_by_mesh(config, system, backend);
  if (division.direct_time < 2 * division.mesh_time) return std::nullopt;
  return fmt::format(
      "all pairs are summed, about {:.2g} ms a step; a mesh of accuracy {} would take about {:.2g} ms (set accuracy = "
      "{} in [coulomb])",
      1e-3 * division.direct_time, kUsualMeshAccuracy, 1e-3 * division.mesh_time, kUsualMeshAccuracy);
}

std::optional<CoulombMesh> coarser_mesh(const CoulombMesh& mesh, double measured, const System& system, Cpu cpu,
                                        Backend backend) {
  // A gain in speed that is worth another mesh.
  constexpr double kWorthIt = 1.5;
  // Estimates assume charges at random places. What a regular structure gains on them is lost if the structure is lost;
  // an error of this many times the accuracy is then soon measured (engine/mesh_check.h).
  constexpr double kMostGain = 8;
  if (mesh.fixed_spacing || measured * kErrorMargin * kWorthIt > mesh.accuracy) return std::nullopt;
  const double gain = std::min(kMostGain, mesh.error / measured);
  if (!(gain > kWorthIt)) return std::nullopt;
  CoulombSettings wanted;
  wanted.accuracy = gain * mesh.accuracy;
  if (mesh.fixed_order) wanted.mesh_order = mesh.parameters.order;
  const MeshPlan plan = plan_mesh(statistics_of(cpu, system), system.model.coulomb_constant, wanted,
                                  std::span(&mesh.parameters.cutoff, 1),
                                  at_interval(mesh_prices(backend), static_cast<int>(system.outer.every)));
  CoulombMesh coarser = mesh;
  coarser.parameters = plan.parameters;
  coarser.error = plan.error / gain;
  return coarser;
}

std::string describe(const CoulombMesh& mesh, const Units& units, const OuterSteps& outer) {
  const MeshParameters& p = mesh.parameters;
  return fmt::format("mesh: pairs within {:.4g} {}, spacing {:.4g} {}, B-splines of order {}, estimated error {:.2g}{}",
                     p.cutoff, units.length, p.spacing, units.length, p.order, mesh.error,
                     outer.has_inner() ? fmt::format(", every {} steps", outer.every) : "");
}

std::string describe_mesh(const System& system, Backend backend) {
  const MeshTerm& term = *mesh_term_of(system);
  const ExpectedMesh& expected = term.expected();
  const auto points = [](const std::array<int, 3>& n) { return fmt::format("{} x {} x {}", n[0], n[1], n[2]); };
  const bool on_gpu = backend == Backend::cuda;
  const std::uint64_t bytes = on_gpu ? term.device_bytes(system.particles.size()) : term.host_bytes();
  return fmt::format("{}; {} points{}, bandwidth {:.3g}, {} {}", describe(*system.mesh, system.units, system.outer),
                     points(expected.points),
                     expected.coarse_points[0] > 0 ? ", a coarse one of " + points(expected.coarse_points) : "",
                     term.parameters().bandwidth, bytes_text(bytes), on_gpu ? "on the GPU" : "of memory");
}

}  // namespace dropmd
