#include "engine/model/pair_species.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <string>
#include <tuple>

#include "core/errors.h"
#include "inputs/run_file/run_config.h"

namespace dropmd {

namespace {

/// Largest number of rows: the table then takes about 100 MB in all its forms; with ten times as many rows it would
/// take 10 GB.
constexpr std::size_t kMostRows = 1024;

std::set<std::string> names_in_pairs(const RunConfig& config) {
  std::set<std::string> names;
  for (const PairConfig& pair : config.pairs) {
    names.insert(pair.first);
    names.insert(pair.second);
  }
  return names;
}

}  // namespace

PairSpecies pair_species(const RunConfig& config, const std::vector<const SpeciesConfig*>& entries) {
  const std::set<std::string> special = names_in_pairs(config);
  std::map<std::tuple<double, double, std::string>, std::uint32_t> rows;
  PairSpecies species;
  for (const SpeciesConfig* entry : entries) {
    const std::string own = config.born_mayer || special.contains(entry->name) ? entry->name : "";
    const auto [place, is_new] =
        rows.try_emplace({entry->epsilon, entry->sigma, own}, static_cast<std::uint32_t>(rows.size()));
    if (is_new) species.first.push_back(entry);
    species.row.push_back(place->second);
  }
  if (rows.size() > kMostRows)
    throw InputError({config.file.string()},
                     "the structure has " + std::to_string(rows.size()) +
                         " species with different Lennard-Jones parameters (at most " + std::to_string(kMostRows) +
                         "; species with the same epsilon and sigma that no [[pair]] names count as one)");
  return species;
}

std::vector<LjParameters> mixed_parameters(const RunConfig& config, const PairSpecies& species) {
  const std::size_t n = species.first.size();
  const bool geometric = config.lennard_jones->mixing == Mixing::geometric;
  std::vector<LjParameters> table;
  table.reserve(n * n);
  for (const SpeciesConfig* a : species.first)
    for (const SpeciesConfig* b : species.first)
      table.push_back({std::sqrt(a->epsilon * b->epsilon),
                       geometric ? std::sqrt(a->sigma * b->sigma) : 0.5 * (a->sigma + b->sigma)});
  std::map<std::string, std::size_t> row_of;  // of species in pairs, which have their own rows
  for (std::size_t k = 0; k < n; ++k) row_of.emplace(species.first[k]->name, k);
  for (const PairConfig& pair : config.pairs) {
    const auto a = row_of.find(pair.first), b = row_of.find(pair.second);
    if (a == row_of.end() || b == row_of.end()) continue;  // of species that the structure does not have
    table[a->second * n + b->second] = table[b->second * n + a->second] = {pair.epsilon, pair.sigma};
  }
  return table;
}

std::vector<BornMayerParameters> born_mayer_parameters(const RunConfig& config, const PairSpecies& species) {
  const auto parameters = [](const BornMayerValues& v) {
    return BornMayerParameters{.a = v.a, .rho = v.rho, .sigma = v.sigma, .c = v.c, .d = v.d};
  };
  if (species.first.empty()) return {parameters(config.born_mayer->values.value_or(BornMayerValues{}))};
  std::vector<BornMayerParameters> table;
  for (const SpeciesConfig* a : species.first)
    for (const SpeciesConfig* b : species.first) {
      const auto pair = std::find_if(config.pairs.begin(), config.pairs.end(), [&](const PairConfig& p) {
        return std::minmax(p.first, p.second) == std::minmax(a->name, b->name);
      });
      if (pair == config.pairs.end())
        throw InputError(
            config.born_mayer->place.file.empty() ? SourcePlace{config.file.string()} : config.born_mayer->place,
            "[born-mayer] has no [[pair]] of '" + a->name + "' and '" + b->name +
                "' (there is no mixing rule: every two species of the structure need one, and so does a species with "
                "itself)");
      table.push_back(parameters(pair->born_mayer));
    }
  return table;
}

}  // namespace dropmd
