#include "bench/mesh/mesh_bench.h"

#include <algorithm>
#include <cmath>

#include "bench/benchmark_droplet.h"
#include "bench/mesh/mesh_parts.h"
#include "core/errors.h"
#include "core/statistics/median_time.h"
#include "engine/force_errors.h"
#include "engine/mesh_check.h"
#include "engine/mesh_fit.h"
#include "engine/methods/catalogue.h"
#include "engine/methods/method_rule.h"
#include "engine/model/coulomb_division.h"
#include "engine/model/system.h"
#include "forces/many_atom_term_cuda.h"
#include "forces/pair/pair_force_term.h"
#include "inputs/structures/structure_file.h"

namespace dropmd {

namespace {

/// Radius of the vapour over that of the droplet.
constexpr double kVapourRadii = 10;

/// A backend and a precision in which a mesh is timed.
struct Processor {
  Backend backend;
  Precision precision;
};

std::vector<Processor> processors(const RunConfig& config, std::optional<Precision> only) {
  // Where a model has a cutoff, every processor has methods for it, and only these are asked for here.
  PairModel model;
  model.coulomb = FormChoice{"exact"};
  RunConfig open = config;
  open.neighbor = NeighborMethod::automatic;
  std::vector<Processor> all;
  for (const Method& method : available_methods(open, model, 2, only)) {
    const auto same = [&](const Processor& p) {
      return p.backend == method.backend && p.precision == method.precision;
    };
    if (std::none_of(all.begin(), all.end(), same)) all.push_back({method.backend, method.precision});
  }
  return all;
}

MeshBenchCase case_of(const RunConfig& config, const System& system) {
  MeshBenchCase timed{.term = *mesh_term_of(system), .model = system.model, .particles = system.particles};
  const Particles& p = system.particles;
  const MeshParameters& parameters = timed.term.parameters();
  std::vector<Vec3<double>> position;
  std::vector<double> charge;
  for (std::size_t i = 0; i < p.size(); ++i)
    if (p.charge[i] != 0) position.push_back(p.position[i]), charge.push_back(p.charge[i]);
  timed.region = RegionRule(parameters, mesh_prices(config.backend)).choose(position, charge);
  if (timed.region.empty())
    throw InputError({config.file.string()}, "these charges need no mesh: direct sums are cheaper (use more atoms)");
  for (std::size_t i = 0; i < p.size(); ++i) {
    if (p.charge[i] == 0) continue;
    if (!timed.region.holds(p.position[i], parameters.order)) {
      ++timed.n_outside;
      continue;
    }
    timed.on_mesh.position.push_back(p.position[i]);
    timed.on_mesh.charge.push_back(p.charge[i]);
    timed.on_mesh.mass.push_back(p.mass[i]);
    timed.on_mesh.pair_species.push_back(p.pair_species[i]);
  }
  return timed;
}

struct PairTime {
  double seconds;
  double pairs;  ///< within the cutoff
};

PairTime time_pairs(const Method& method, const System& system) {
  const Particles& p = system.particles;
  const auto pairs = make_pair_forces(method, system.model, {p.charge, p.pair_species});
  std::vector<Vec3<double>> force(p.size());
  std::vector<double> kernel;
  constexpr double kMicro = 1e-6;
  const double wall = kMicro * median_microseconds([&] {
                        pairs->evaluate(p.position, force, Want::forces);
                        if (const auto seconds = pairs->device_seconds()) kernel.push_back(*seconds);
                      });
  const PairSums sums = pairs->evaluate(p.position, force, Want::forces_and_energies);
  std::sort(kernel.begin(), kernel.end());
  return {kernel.empty() ? wall : kernel[kernel.size() / 2], static_cast<double>(sums.pairs_within_cutoff)};
}

/// Returns the limit of a part; nullopt if none is stated.
std::optional<double> limit_of(const std::string& part, const MeshLimits& limits) {
  const double mesh = limits.spread + limits.transforms + limits.gather;
  if (part == "spread") return limits.spread;
  if (part == "gather") return limits.gather;
  if (part == "spread, gather") return limits.spread + limits.gather;
  if (part == "transforms") return limits.transforms;
  if (part == "mesh") return mesh;
  if (part == "pairs") return limits.pairs;
  if (part == "evaluation") return mesh + limits.pairs;
  return std::nullopt;
}

MeshWork work_of(const MeshBenchCase& timed, const Method& method, double pairs) {
  const bool is_float = method.backend == Backend::cuda && method.precision == Precision::mixed;
  MeshWork work{.points = timed.region.box.points,
                .order = timed.term.parameters().order,
                .n_spread = timed.on_mesh.size(),
                .real_bytes = is_float ? sizeof(float) : sizeof(double),
                .pairs = pairs,
                .degree = static_cast<int>(timed.model.coulomb->at("degree"))};
  for (std::size_t axis = 0; axis < 3; ++axis) work.length[axis] = fast_length(2 * work.points[axis] - 1);
  return work;
}

/// Returns the RMS error of the forces of the mesh, over the RMS Coulomb force.
double measured_error(const Method& method, const System& system, const MeshTerm& mesh) {
  const Particles& p = system.particles;
  const auto term = method.backend == Backend::cuda
                        ? on_gpu(mesh, method.device, method.precision, method.cpu, system.model, p)
                        : mesh.on_host(method.cpu, p);
  std::vector<Vec3<double>> force(p.size());
  Energies energies;
  term->evaluate({p.position, 0}, Want::forces, true, force, energies);
  const std::vector<std::uint32_t> sample = even_sample(p.size(), MeshCheck::kAtoms);
  std::vector<AtomSums> exact(sample.size());
  term->add_reference(method.cpu, {p.position, 0}, sample, exact);
  const ForceErrors errors = force_errors(force, sample, exact, Precision::fp64);
  return errors.rms * errors.scale / system.mesh->force;
}

/// Times a case on one processor and shows its rows.
void time_case(const RunConfig& config, System system, const ShowMeshRow& show, std::vector<MeshBenchRow>& rows) {
  constexpr double kMicro = 1e6;
  const Method method = choose_by_rule(config, system);
  fit_mesh(system, config, method);
  const MeshBenchCase timed = case_of(config, system);
  MeshTimes times = method.backend == Backend::cuda ? time_mesh_cuda(method.device, method.precision, timed)
                                                    : time_mesh_host(method.cpu, method.precision, timed);
  const PairTime pairs = time_pairs(method, system);
  times.parts.push_back({"pairs", pairs.seconds});
  times.parts.push_back({"evaluation", pairs.seconds + *times.of("mesh")});
  const double error = measured_error(method, system, timed.term);
  const MeshLimits limits = MeshLimits::of(work_of(timed, method, pairs.pairs), times.rates);
  for (const auto& [part, seconds] : times.parts) {
    MeshBenchRow row{.n_atoms = system.particles.size(),
                     .n_outside = timed.n_outside,
                     .accuracy = system.mesh->accuracy,
                     .error = system.mesh->error,
                     .measured_error = error,
                     .order = system.mesh->parameters.order,
                     .cutoff = system.mesh->parameters.cutoff,
                     .spacing = system.mesh->parameters.spacing,
                     .points = timed.region.box.points,
                     .method = method,
                     .part = part,
                     .time_us = kMicro * seconds};
    if (const auto limit = limit_of(part, limits)) row.limit_us = kMicro * *limit;
    rows.push_back(row);
    show(row);
  }
}

RunConfig with_processor(RunConfig config, const Processor& processor) {
  config.backend = processor.backend;
  config.precision = processor.precision;
  config.coulomb_settings.method = CoulombMethod::mesh;
  return config;
}

/// Returns the settings of all meshes that a plan asks for.
std::vector<CoulombSettings> settings_of(const MeshBenchPlan& plan) {
  std::vector<std::optional<int>> orders(plan.orders.begin(), plan.orders.end());
  std::vector<std::optional<double>> spacings(plan.spacings.begin(), plan.spacings.end());
  if (orders.empty()) orders.emplace_back();
  if (spacings.empty()) spacings.emplace_back();
  std::vector<CoulombSettings> all;
  for (const double accuracy : plan.accuracies)
    for (const auto& order : orders)
      for (const auto& spacing : spacings) all.push_back({CoulombMethod::mesh, accuracy, plan.cutoff, spacing, order});
  return all;
}

/// Whether mixed precision has no mesh of the accuracy.
bool too_fine(const RunConfig& config) {
  return config.precision == Precision::mixed &&
         config.coulomb_settings.accuracy.value_or(kUsualMeshAccuracy) < kFinestMixedAccuracy;
}

}  // namespace

std::vector<MeshBenchRow> bench_mesh(const RunConfig& choices, std::optional<Precision> only,
                                     std::span<const std::size_t> sizes, const MeshBenchPlan& plan,
                                     const ShowMeshRow& show) {
  std::vector<MeshBenchRow> rows;
  const std::vector<CoulombSettings> meshes = settings_of(plan);
  for (const std::size_t n : sizes) {
    DropletRecipe recipe = benchmark_recipe(n);
    constexpr double kBall = 4.18879020478639;  // 4π/3
    if (plan.random) {
      recipe.lattice = DropletRecipe::Lattice::random;
      recipe.charges = DropletRecipe::Charges::random;
      recipe.disorder = 0;
    }
    recipe.vapour = plan.vapour;
    if (plan.vapour > 0)
      recipe.vapour_radius = kVapourRadii * std::cbrt(static_cast<double>(n) / (kBall * recipe.density));
    const Structure structure = structure_of(generate_droplet(recipe));
    for (const CoulombSettings& mesh : meshes)
      for (const Processor& processor : processors(choices, only)) {
        RunConfig config = benchmark_config(choices, false);
        config.lennard_jones->treatment = {"cut", {{"cutoff", kBenchmarkCutoff}}};
        config.coulomb_settings = mesh;
        config = with_processor(std::move(config), processor);
        if (too_fine(config) && !only) continue;
        time_case(config, build_system(config, structure), show, rows);
      }
  }
  return rows;
}

std::vector<MeshBenchRow> bench_mesh_of_run(const RunConfig& config, const ShowMeshRow& show) {
  std::vector<MeshBenchRow> rows;
  for (const Processor& processor : processors(config, config.precision)) {
    const RunConfig of_processor = with_processor(config, processor);
    System system = read_system(of_processor);
    if (!system.mesh)
      throw InputError({config.file.string()},
                       "no mesh: it needs charges and an untruncated Coulomb term (form = \"exact\" in [coulomb])");
    time_case(of_processor, std::move(system), show, rows);
  }
  return rows;
}

}  // namespace dropmd
