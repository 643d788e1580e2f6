#include "bench/maps.h"

#include <algorithm>
#include <cmath>

#include "bench/fma_rate.h"
#include "bench/pairs_within_cutoff.h"
#include "core/errors.h"
#include "core/lanes/simd_lanes.h"
#include "core/statistics/median_time.h"
#include "core/units.h"
#include "device/device_info.h"
#include "engine/jobs/generate_droplet.h"
#include "maps/map_cuda.h"

namespace dropmd {

namespace {

constexpr std::string_view kProduction = "dropmd";

MapModel model_of(const MapBenchChoices& choices, const std::string& name) {
  if (name == kMeshMap)
    return {.coulomb = {"exact", {}}, .coulomb_constant = kRealUnits.coulomb, .mesh = MapMesh{choices.accuracy}};
  MapModel model{.coulomb = {name, {}}, .coulomb_constant = kRealUnits.coulomb};
  require_map_model(model);
  const FormList forms = map_forms();
  for (const FormKey& key : find_form(forms, name)->keys)
    model.coulomb.values.emplace(key.name, key.name == "cutoff" ? choices.cutoff : key.default_real.value());
  require_map_model(model);
  return model;
}

/// Returns the published design of that name; null: it is not one.
const MapDesign* design_of(std::string_view name) {
  for (const MapDesign& design : map_designs())
    if (design.name == name) return &design;
  return nullptr;
}

/// Returns points around the origin, where the droplet is.
MapGrid grid_of(const MapBenchChoices& choices, double radius) {
  constexpr double kPadding = 5;
  const double wanted = std::ceil(2 * (radius + kPadding) / choices.spacing) + 1;
  if (!choices.points && wanted > kMostMapPoints)
    throw InputError("a grid around the droplet has more than " + std::to_string(kMostMapPoints) +
                     " points along an axis (use a larger spacing, or give the number of points)");
  const std::int32_t n = choices.points.value_or(static_cast<std::int32_t>(wanted));
  const double low = -0.5 * (n - 1) * choices.spacing;
  return {{low, low, low}, {choices.spacing, choices.spacing, choices.spacing}, {n, n, n}};
}

/// A droplet and the grid around it.
struct Case {
  Particles particles;
  MapGrid grid;
  MapModel model;
  double within_cutoff;

  MapCharges charges() const { return {particles.position, particles.charge}; }
};

/// Operations and accesses of the production kernels in mixed precision: squares along z are computed once per block,
/// and those of a column are shared by eight points; the words of a batch in shared memory are one per pair, plus four
/// per eight pairs.
constexpr double kProductionOperations = 4 + 5.0 / 8, kProductionAccesses = 1.5;

/// Multiplications, multiply-adds and root estimates of the CPU's sums for a pack of pairs: distance, root with its
/// refinement, sum; and the form. Zen 4 executes all of them in two units, which do nothing else here
/// (docs/experiments.md).
double slots_of_pair(std::string_view form) {
  constexpr double kDistanceRootAndSum = 8;
  return kDistanceRootAndSum + (form == "shift" ? 3 : form == "smoothed" || form == "reaction-field" ? 2 : 0);
}

/// Returns the limit of evaluations per second; nullopt if roots are not computed from estimates.
std::optional<double> cpu_limit(const std::string& form, Precision precision, int threads) {
  constexpr int kWidth = LaneTraits<Pack<float>>::kWidth;
  if (precision != Precision::mixed || kWidth < 8) return std::nullopt;
  return threads * fma_packs_per_second() * kWidth / slots_of_pair(form);
}

/// Largest number of evaluations of the scatter design, which is much slower than the others: it makes one atomic
/// addition per pair.
constexpr double kMostScatter = 2e10;

void time_map(Cpu cpu, MapSum& sum, const Case& map, MapBenchRow& row) {
  std::vector<double> kernel_us;
  std::optional<MapMeshResult> mesh;
  row.time_us = median_microseconds([&] {
    const MapValues values = sum.compute(map.grid, map.charges());
    row.evaluations = static_cast<double>(values.evaluations);
    mesh = values.mesh;
    if (const double seconds = sum.device_seconds(); seconds > 0) kernel_us.push_back(seconds * 1e6);
  });
  if (mesh) {
    row.measured_error = mesh->measured_error;
    if (mesh->points[0] > 0) {
      row.cutoff = mesh->parameters.cutoff;
      row.within_cutoff = map_pairs_within_cutoff(cpu, map.grid, map.charges(), *row.cutoff);
    }
  }
  if (kernel_us.empty()) return;
  std::sort(kernel_us.begin(), kernel_us.end());
  row.kernel_us = kernel_us[kernel_us.size() / 2];
}

/// Returns the row of a case that is not timed yet. gpu: of rows of that backend.
MapBenchRow row_of(const Case& map, const MapBenchChoices& choices, Backend backend, std::string_view design,
                   Precision precision, const std::optional<DeviceInfo>& gpu) {
  MapBenchRow row{.n_atoms = map.particles.size(),
                  .n_points = map.grid.n_points(),
                  .spacing = choices.spacing,
                  .form = map.model.mesh ? std::string(kMeshMap) : map.model.coulomb.form,
                  .design = std::string(design),
                  .backend = backend,
                  .precision = precision,
                  .within_cutoff = map.within_cutoff};
  const bool has_cutoff = map.model.coulomb.has("cutoff");
  if (const auto* const known = design_of(design)) {
    row.operations_per_pair = known->operations;
    row.accesses_per_pair = known->accesses;
  } else if (backend == Backend::cuda && precision == Precision::mixed && !map.model.mesh) {
    // The form `shift` ends at the cutoff without a comparison.
    row.operations_per_pair = kProductionOperations + (has_cutoff && row.form != "shift" ? 1 : 0);
    row.accesses_per_pair = kProductionAccesses;
  }
  if (has_cutoff) row.cutoff = choices.cutoff;
  if (map.model.mesh) row.accuracy = choices.accuracy;
  const int threads = Cpu{choices.threads}.threads;
  row.device_name = backend == Backend::cuda
                        ? gpu->name
                        : "CPU, " + std::to_string(threads) + (threads == 1 ? " thread" : " threads");
  return row;
}

}  // namespace

std::vector<std::string_view> map_bench_designs() {
  std::vector<std::string_view> names{kProduction};
  for (const MapDesign& design : map_designs()) names.push_back(design.name);
  return names;
}

std::vector<MapBenchRow> bench_maps(const MapBenchChoices& choices, std::span<const std::size_t> sizes,
                                    const std::function<void(const MapBenchRow&)>& show) {
  const Cpu cpu{choices.threads};
  std::string reason;
  std::optional<DeviceInfo> gpu;
  if (choices.backend == Backend::cuda) gpu = require_device(choices.device);
  if (choices.backend == Backend::automatic) gpu = find_device(choices.device, reason);
  const auto wants = [&](std::string_view design) {
    return choices.designs.empty() ||
           std::find(choices.designs.begin(), choices.designs.end(), design) != choices.designs.end();
  };
  std::vector<MapBenchRow> rows;
  const auto add = [&](const Case& map, Backend backend, std::string_view design, Precision precision, MapSum& sum) {
    MapBenchRow row = row_of(map, choices, backend, design, precision, gpu);
    time_map(cpu, sum, map, row);
    if (backend == Backend::cpu && !map.model.mesh) row.limit = cpu_limit(row.form, precision, cpu.threads);
    if (const auto* const published = dynamic_cast<const DesignMapSum*>(&sum)) row.overflow = published->overflow();
    rows.push_back(std::move(row));
    show(rows.back());
  };

  for (const std::size_t n : sizes) {
    DropletRecipe recipe{.atoms = n, .radius = {}, .density = choices.density, .disorder = 0.05};
    if (choices.random) recipe.lattice = DropletRecipe::Lattice::random, recipe.disorder = 0;
    Droplet droplet = generate_droplet(recipe);
    Case map{std::move(droplet.particles), grid_of(choices, droplet.radius), {}, 0};
    for (const std::string& form : choices.forms) {
      map.model = model_of(choices, form);
      const double all = static_cast<double>(n) * static_cast<double>(map.grid.n_points());
      map.within_cutoff =
          map.model.coulomb.has("cutoff") ? map_pairs_within_cutoff(cpu, map.grid, map.charges(), choices.cutoff) : all;
      for (const Precision precision : {Precision::mixed, Precision::fp64}) {
        if (!wants(kProduction) || choices.precision.value_or(precision) != precision) continue;
        const bool linear = map.model.mesh.has_value();
        if (gpu && (linear || map.within_cutoff <= kMostMapEvaluationsGpu))
          add(map, Backend::cuda, kProduction, precision,
              *make_map_sum_cuda(choices.device, cpu, precision, map.model));
        if (choices.backend != Backend::cuda && (linear || map.within_cutoff <= kMostMapEvaluationsCpu))
          add(map, Backend::cpu, kProduction, precision, *make_map_sum(cpu, precision, map.model));
      }
      if (!gpu || map.model.mesh) continue;
      for (const MapDesign& design : map_designs()) {
        const double most = design.name == "scatter" ? kMostScatter : kMostMapEvaluationsGpu;
        if (!wants(design.name) || design.has_cutoff != map.model.coulomb.has("cutoff") || map.within_cutoff > most)
          continue;
        add(map, Backend::cuda, design.name, Precision::mixed,
            *make_map_design(design.name, choices.device, cpu, map.model, choices.bin_capacity));
      }
    }
  }
  return rows;
}

}  // namespace dropmd
