#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <ostream>

#include "app/json_text.h"
#include "app/option_values.h"
#include "app/shared_options.h"
#include "core/version.h"
#include "engine/jobs/compare.h"
#include "engine/jobs/single_point.h"
#include "engine/model/coulomb_division.h"
#include "inputs/run_file/run_config.h"

namespace dropmd {

namespace {

void add_options(OptionTable& options) {
  add_file_argument(options);
  add_method_options(options);
  add_common_options(options);
  options.add(
      {},
      {{"sample",
        fmt::format("compare the forces of N atoms; default: all up to {}, else {}", kCompareAllUpTo, kCompareSample),
        "N"}});
}

Json reference_of(const Comparison& c) {
  Json::Object json{{"potential", c.reference_energies.potential()}};
  for (const auto& [name, energy] : c.reference_energies.components()) json.push_back({std::string(name), energy});
  json.push_back({"pairs_within_cutoff", c.reference.pairs_within_cutoff});
  return json;
}

std::optional<std::string_view> coulomb_word(const CompareRow& row) {
  if (!row.coulomb) return std::nullopt;
  return *row.coulomb == CoulombMethod::mesh ? "mesh" : "direct";
}

Json to_json(const CompareRow& row) {
  Json::Object json{{"backend", word_of(row.method.backend)},
                    {"precision", word_of(row.method.precision)},
                    {"neighbor", word_of(row.method.neighbor)}};
  if (row.coulomb) json.push_back({"coulomb", coulomb_word(row)});
  const Json::Object numbers{
      {"energy", row.energies.potential()},         {"relative_energy_error", row.relative_energy_error},
      {"rms_force_error", row.rms_force_error},     {"worst_atom", row.worst_atom},
      {"worst_force_error", row.worst_force_error}, {"pairs_within_cutoff", row.sums.pairs_within_cutoff},
      {"pairs_examined", row.sums.candidate_pairs}, {"useful_pair_fraction", fraction_within_cutoff(row.sums)},
      {"microseconds", row.microseconds},           {"ok", row.ok}};
  json.insert(json.end(), numbers.begin(), numbers.end());
  return json;
}

Json to_json(const MeshCrossover& crossover) {
  return {{"backend", word_of(crossover.method.backend)},         {"precision", word_of(crossover.method.precision)},
          {"direct_microseconds", crossover.direct_microseconds}, {"mesh_microseconds", crossover.mesh_microseconds},
          {"measured_atoms", crossover.measured_atoms},           {"estimated_atoms", crossover.estimated_atoms}};
}

Json to_json(const CoulombMesh& mesh) {
  return {{"accuracy", mesh.accuracy},        {"estimated_error", mesh.error},      {"rms_coulomb_force", mesh.force},
          {"cutoff", mesh.parameters.cutoff}, {"spacing", mesh.parameters.spacing}, {"order", mesh.parameters.order}};
}

Json to_json(const Comparison& c) {
  Json::List rows, crossovers;
  for (const CompareRow& row : c.rows) rows.push_back(to_json(row));
  for (const MeshCrossover& crossover : c.crossovers) crossovers.push_back(to_json(crossover));
  Json::Object json{{"n_atoms", c.n_atoms},
                    {"n_sampled", c.n_sampled},
                    {"units", c.units.name},
                    {"reference", reference_of(c)},
                    {"truncation", Json{{"potential", c.reference.vdw + c.reference.coulomb - c.untruncated.vdw -
                                                          c.untruncated.coulomb},
                                        {"vdw", c.reference.vdw - c.untruncated.vdw},
                                        {"coulomb", c.reference.coulomb - c.untruncated.coulomb}}},
                    {"rows", rows}};
  if (c.mesh) json.push_back({"mesh", to_json(*c.mesh)});
  if (c.mesh) json.push_back({"crossover", crossovers});
  json.push_back({"version", kVersion});
  return json;
}

/// Returns a number of atoms to two digits.
std::string about(double atoms) {
  const double unit = std::pow(10, std::max(0.0, std::floor(std::log10(std::max(1.0, atoms))) - 1));
  return fmt::format("{:.0f}", std::round(atoms / unit) * unit);
}

std::string to_text(const MeshCrossover& crossover) {
  return fmt::format(
      "{}, {}: direct {:.0f} us, mesh {:.0f} us; a mesh is faster from about {} atoms on as measured, {} by the cost "
      "model of "
      "steps\n",
      word_of(crossover.method.backend), word_of(crossover.method.precision), crossover.direct_microseconds,
      crossover.mesh_microseconds, about(crossover.measured_atoms),
      crossover.estimated_atoms ? about(*crossover.estimated_atoms) : "never");
}

std::string to_text(const Comparison& c) {
  const PairSums &cut = c.reference, &uncut = c.untruncated;
  std::string text = fmt::format(
      "{} atoms, forces of {} compared; reference: fp64 all pairs, {:.12g} {} ({} pairs within the cutoff)\n"
      "truncation: {:+.6g} {} against no cutoff at all\n\n"
      "{:<8} {:<9} {:<12} {:<7} {:>20} {:>9} {:>9} {:>9} {:>8} {:>7} {:>12}\n",
      c.n_atoms, c.n_sampled, c.reference_energies.potential(), c.units.energy, cut.pairs_within_cutoff,
      cut.vdw + cut.coulomb - uncut.vdw - uncut.coulomb, c.units.energy, "backend", "precision", "neighbor", "coulomb",
      "energy", "dE/sum|u|", "rms dF", "worst dF", "atom", "useful", "us");
  for (const CompareRow& row : c.rows)
    text += fmt::format("{:<8} {:<9} {:<12} {:<7} {:>20.12g} {:>9.1e} {:>9.1e} {:>9.1e} {:>8} {:>6.1f}% {:>12.1f}{}\n",
                        word_of(row.method.backend), word_of(row.method.precision), word_of(row.method.neighbor),
                        coulomb_word(row).value_or("-"), row.energies.potential(), row.relative_energy_error,
                        row.rms_force_error, row.worst_force_error, row.worst_atom,
                        100 * fraction_within_cutoff(row.sums), row.microseconds, row.ok ? "" : "  OUT OF BOUNDS");
  if (c.mesh) text += '\n' + describe(*c.mesh, c.units) + '\n';
  for (const MeshCrossover& crossover : c.crossovers) text += to_text(crossover);
  return text;
}

ExitStatus run(const GivenOptions& options, Streams& streams) {
  RunConfig config = load_config(input_file(options, "compare"));
  apply_method_options(options, config);
  show_config(config, options, streams);
  std::optional<std::size_t> sample;
  if (options.has("sample")) sample = whole_option<std::size_t>(options, "sample", 1);
  require_free_outputs(options, config);
  const Comparison comparison = compare_methods(config, sample, precision_if_given(options, config));
  show_warnings(comparison.warnings, options, streams);
  write_result(options, streams, options.has("json") ? json_text(to_json(comparison)) : to_text(comparison));
  return comparison.ok() ? ExitStatus::done : ExitStatus::out_of_tolerance;
}

}  // namespace

Command compare_command() {
  return {
      "compare",
      "FILE",
      "every neighbour method, processor and precision against the fp64 all-pairs answer",
      {"dropmd compare inputs/samples/droplet-4139.toml", "dropmd compare inputs/samples/lj-cluster-13.toml --json"},
      add_options,
      run};
}

}  // namespace dropmd
