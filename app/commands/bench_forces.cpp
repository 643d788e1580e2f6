#include <fmt/core.h>

#include <ostream>

#include "app/commands/bench_operation.h"
#include "app/commands/bench_table.h"
#include "app/option_values.h"
#include "app/shared_options.h"
#include "bench/forces.h"
#include "engine/jobs/single_point.h"
#include "inputs/run_file/run_config.h"

namespace dropmd {

namespace {

void add_options(OptionTable& options) {
  options.add(
      "bench forces",
      {{"atoms", "sizes, separated by commas (default 4139,32768,262144; step: 128,1000,4139,32768)", "N,..."}});
}

Json to_json(const ForceBenchRow& row) {
  return {{"n_atoms", row.n_atoms},
          {"physics", row.physics},
          {"backend", word_of(row.method.backend)},
          {"device", row.method.device_name},
          {"precision", word_of(row.method.precision)},
          {"neighbor", word_of(row.method.neighbor)},
          {"forces_us", row.forces_us},
          {"energies_us", row.energies_us},
          {"kernel_us", row.kernel_us},
          {"directed_pairs_per_s", row.directed_pairs_per_s},
          {"ns_per_useful_pair", row.ns_per_pair_within_cutoff},
          {"useful_pair_fraction", fraction_within_cutoff(row.sums)}};
}

std::string heading() {
  return fmt::format("{:>8} {:<10} {:<7} {:<9} {:<10} {:>12} {:>12} {:>12} {:>14} {:>12}\n", "atoms", "physics",
                     "backend", "precision", "neighbor", "forces us", "energies us", "kernel us", "directed G/s",
                     "ns/useful");
}

std::string to_text(const ForceBenchRow& row) {
  return fmt::format("{:>8} {:<10} {:<7} {:<9} {:<10} {:>12.1f} {:>12.1f} {:>12} {:>14.3f} {:>12.4f}\n", row.n_atoms,
                     row.physics, word_of(row.method.backend), word_of(row.method.precision),
                     word_of(row.method.neighbor), row.forces_us, row.energies_us,
                     row.kernel_us ? fmt::format("{:.1f}", *row.kernel_us) : "-", row.directed_pairs_per_s * 1e-9,
                     row.ns_per_pair_within_cutoff);
}

ExitStatus run(const GivenOptions& options, const RunConfig& choices, Streams& streams) {
  const std::vector<std::size_t> sizes = bench_sizes(options, {4139, 32768, 262144});
  BenchTable table("forces", choices.device, heading(), options, streams);
  bench_forces(choices, precision_if_given(options, choices), sizes,
               [&](const ForceBenchRow& row) { table.add(to_text(row), to_json(row)); });
  table.finish();
  return ExitStatus::done;
}

}  // namespace

BenchOperation bench_forces_operation() {
  return {"forces",
          {"atoms", "precision", "neighbor"},
          {"dropmd bench forces --atoms 500 --threads 1", "dropmd bench forces --atoms 500 --backend cpu --json"},
          add_options,
          run};
}

}  // namespace dropmd
