#include <fmt/core.h>

#include <ostream>

#include "app/json_text.h"
#include "app/shared_options.h"
#include "core/version.h"
#include "engine/jobs/single_point.h"
#include "inputs/run_file/run_config.h"
#include "outputs/forces_csv.h"

namespace dropmd {

namespace {

void add_options(OptionTable& options) {
  add_file_argument(options);
  add_method_options(options);
  add_common_options(options);
  options.add({}, {{"forces", "write the forces as CSV: atom,fx,fy,fz", "FILE"}});
  add_wall_option(options);
}

Json to_json(const SinglePoint& point) {
  const Energies& e = point.result.energies;
  const PairSums& pairs = point.result.pairs;
  Json::Object json{{"n_atoms", point.force.size()},
                    {"units", point.units.name},
                    {"backend", word_of(point.method.backend)},
                    {"device", point.method.device_name},
                    {"precision", word_of(point.method.precision)},
                    {"neighbor", word_of(point.method.neighbor)},
                    {"potential", e.potential()}};
  for (const auto& [name, energy] : e.components()) json.push_back({std::string(name), energy});
  json.insert(json.end(), {{"pairs_within_cutoff", pairs.pairs_within_cutoff},
                           {"pairs_examined", pairs.candidate_pairs},
                           {"useful_pair_fraction", fraction_within_cutoff(pairs)},
                           {"max_force", point.max_force},
                           {"version", kVersion}});
  return json;
}

std::string to_text(const SinglePoint& point) {
  const Energies& e = point.result.energies;
  const PairSums& pairs = point.result.pairs;
  const std::string force_unit = fmt::format("{}/{}", point.units.energy, point.units.length);
  std::string text =
      fmt::format("{} atoms, units {}, {}, {} precision, {}\n  potential  {:.17g} {}\n", point.force.size(),
                  point.units.name, point.method.device_name, word_of(point.method.precision),
                  word_of(point.method.neighbor), e.potential(), point.units.energy);
  for (const auto& [name, energy] : e.components()) text += fmt::format("  {:<10} {:.17g}\n", name, energy);
  return text + fmt::format("  pairs within cutoff {}, examined {} ({:.1f} % useful)\n  largest force {:.6g} {}\n",
                            pairs.pairs_within_cutoff, pairs.candidate_pairs, 100 * fraction_within_cutoff(pairs),
                            point.max_force, force_unit);
}

ExitStatus run(const GivenOptions& options, Streams& streams) {
  RunConfig config = load_config(input_file(options, "energy"));
  apply_method_options(options, config);
  apply_wall_option(options, config);
  show_config(config, options, streams);
  require_free_outputs(options, config, {"forces"});
  const SinglePoint point = single_point(config);
  show_warnings(point.warnings, options, streams);
  if (!point.method.note.empty() && !options.has("quiet")) streams.err << "dropmd: " << point.method.note << '\n';
  if (options.has("forces")) write_forces_csv(options.text("forces"), point.force, options.has("force"));
  write_result(options, streams, options.has("json") ? json_text(to_json(point)) : to_text(point));
  return ExitStatus::done;
}

}  // namespace

Command energy_command() {
  return {"energy",
          "FILE",
          "single point: energies, optionally forces",
          {"dropmd energy inputs/samples/droplet-4139.toml",
           "dropmd energy inputs/samples/droplet-4139.drop --precision double --json",
           "dropmd energy inputs/samples/lj-cluster-13.toml --forces forces.csv"},
          add_options,
          run};
}

}  // namespace dropmd
