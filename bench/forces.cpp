#include "bench/forces.h"

#include <algorithm>
#include <cmath>

#include "bench/benchmark_droplet.h"
#include "core/statistics/median_time.h"
#include "engine/jobs/compare.h"
#include "engine/methods/catalogue.h"
#include "inputs/run_file/run_config.h"

namespace dropmd {

namespace {

constexpr std::size_t kLargestCpuAllPairs = 50'000;

struct Physics {
  std::string name;
  PairModel model;
};

std::vector<Physics> benchmark_physics() {
  PairModel model;
  model.coulomb_constant = kRealUnits.coulomb;
  model.lj_parameters = {{0.2, 2.5 * std::pow(2.0, -1.0 / 6.0)}};
  PairModel exact = model;
  exact.lj = FormChoice{"none"};
  exact.coulomb = FormChoice{"exact"};
  PairModel cut = model;
  cut.lj = FormChoice{"cut", {{"cutoff", 12.0}}};
  cut.coulomb = FormChoice{"reaction-field", {{"cutoff", 12.0}, {"dielectric", 1.0}}};
  return {{"exact", exact}, {"cutoff-12", cut}};
}

ForceBenchRow timed(const Physics& physics, const Method& method, const Particles& particles) {
  const auto forces = make_pair_forces(method, physics.model, {particles.charge, particles.species});
  std::vector<Vec3<double>> force(particles.size());
  ForceBenchRow row{.n_atoms = particles.size(), .physics = physics.name, .method = method};
  std::vector<double> kernel_us;
  row.forces_us = median_microseconds([&] {
    forces->evaluate(particles.position, force, Want::forces);
    if (const auto seconds = forces->device_seconds()) kernel_us.push_back(*seconds * 1e6);
  });
  row.energies_us =
      median_microseconds([&] { row.sums = forces->evaluate(particles.position, force, Want::forces_and_energies); });
  if (!kernel_us.empty()) {
    std::sort(kernel_us.begin(), kernel_us.end());
    row.kernel_us = kernel_us[kernel_us.size() / 2];
  }
  const double seconds = row.kernel_us.value_or(row.forces_us) * 1e-6;
  row.directed_pairs_per_s = 2.0 * static_cast<double>(row.sums.candidate_pairs) / seconds;
  row.ns_per_pair_within_cutoff = seconds * 1e9 / static_cast<double>(row.sums.pairs_within_cutoff);
  return row;
}

}  // namespace

std::vector<ForceBenchRow> bench_forces(const RunConfig& choices, std::optional<Precision> only,
                                        std::span<const std::size_t> sizes,
                                        const std::function<void(const ForceBenchRow&)>& show) {
  std::vector<ForceBenchRow> rows;
  for (const std::size_t n : sizes) {
    const Particles particles = generate_droplet(benchmark_recipe(n)).particles;
    for (const Physics& physics : benchmark_physics()) {
      if (needs_cutoff(choices.neighbor) && !std::isfinite(physics.model.cutoff())) continue;
      for (const Method& method : available_methods(choices, physics.model, n, only)) {
        const bool slow = method.backend == Backend::cpu && !needs_cutoff(method.neighbor);
        if (slow && n > kLargestCpuAllPairs) continue;
        rows.push_back(timed(physics, method, particles));
        show(rows.back());
      }
    }
  }
  return rows;
}

}  // namespace dropmd
