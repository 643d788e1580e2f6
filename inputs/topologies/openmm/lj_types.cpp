#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include "inputs/topologies/lj_rules.h"
#include "inputs/topologies/openmm/system_reading.h"

namespace dropmd::openmm {
namespace {

using Parameters = std::array<double, 2>;

LjParameters lorentz_pair(const Parameters& a, const Parameters& b) {
  constexpr CombinationRule kRule = CombinationRule::lorentz;
  const LjNumbers numbers = combined(kRule, {a[0], a[1]}, {b[0], b[1]});
  return numbers.w == 0 ? LjParameters{} : lj_parameters(kRule, numbers);
}

/// Gives atoms with equal parameters one type, and fills the table of the types.
template <class Pair>
void set_types(const std::vector<Parameters>& parameters, const Pair& pair, SystemReading& reading) {
  // The engine takes no more species, and the table grows with the square of their number.
  constexpr std::size_t kMostTypes = 1024;
  std::map<Parameters, std::uint32_t> index;
  std::vector<Parameters> types;
  MolecularModel& model = reading.model;
  for (const Parameters& one : parameters) {
    const auto [entry, is_new] = index.try_emplace(one, static_cast<std::uint32_t>(types.size()));
    if (is_new) types.push_back(one);
    model.type.push_back(entry->second);
  }
  if (types.size() > kMostTypes)
    throw InputError(SourcePlace{model.file},
                     fmt::format("the particles have {} different van der Waals parameters (at most {} are allowed)",
                                 types.size(), kMostTypes));
  for (std::size_t i = 0; i < types.size(); ++i) model.type_names.push_back(std::to_string(i + 1));
  model.lj.resize(types.size() * types.size());
  for (std::size_t i = 0; i < types.size(); ++i)
    for (std::size_t j = 0; j <= i; ++j)
      model.lj[i * types.size() + j] = model.lj[j * types.size() + i] = pair(types[i], types[j]);
}

/// Charges and van der Waals terms of a pair may come from different forces.
void join_pairs(std::vector<BondedPair>& pairs) {
  std::map<AtomPair, std::size_t> index;
  std::vector<BondedPair> joined;
  for (const BondedPair& pair : pairs) {
    const auto [entry, is_new] = index.try_emplace(pair.atom, joined.size());
    BondedPair* const earlier = is_new ? nullptr : &joined[entry->second];
    if (earlier == nullptr || (earlier->lj.epsilon != 0 && pair.lj.epsilon != 0)) {
      joined.push_back(pair);
      continue;
    }
    if (pair.lj.epsilon != 0) earlier->lj = pair.lj;
    earlier->charges += pair.charges;
  }
  pairs = std::move(joined);
}

void require_agreement(const CustomLj& lj, const SystemReading& reading) {
  const bool has_two = std::any_of(reading.sigma_epsilon.begin(), reading.sigma_epsilon.end(),
                                   [](const Parameters& p) { return p[1] != 0; });
  if (has_two)
    lj.force.fail(
        "the NonbondedForce has van der Waals terms, too (set epsilon to 0 there, or leave out the "
        "CustomNonbondedForce)");
  if (!reading.nonbonded) return;
  const auto require_all = [&](const std::set<AtomPair>& pairs, const std::set<AtomPair>& other,
                               std::string_view what) {
    for (const AtomPair& pair : pairs)
      if (!other.contains(pair)) lj.force.fail(fmt::format("particles {} and {} {}", pair[0], pair[1], what));
  };
  require_all(lj.exclusions, reading.exceptions,
              "are an exclusion here, but not an exception of the NonbondedForce (the pairs must be the same)");
  require_all(reading.exceptions, lj.exclusions,
              "are an exception of the NonbondedForce, but not an exclusion here (the pairs must be the same)");
}

}  // namespace

void finish_nonbonded(SystemReading& reading) {
  if (reading.custom_lj) {
    require_agreement(*reading.custom_lj, reading);
    set_types(reading.custom_lj->parameters, reading.custom_lj->pair, reading);
  } else {
    if (reading.sigma_epsilon.empty()) reading.sigma_epsilon.assign(reading.n_atoms, Parameters{});
    set_types(reading.sigma_epsilon, lorentz_pair, reading);
  }
  const std::set<AtomPair>& excluded =
      reading.custom_lj && !reading.nonbonded ? reading.custom_lj->exclusions : reading.exceptions;
  reading.model.topology.exclusions =
      exclusions_of_pairs(reading.n_atoms, std::vector<AtomPair>(excluded.begin(), excluded.end()));
  join_pairs(std::get<std::vector<BondedPair>>(reading.model.topology.terms));
}

}  // namespace dropmd::openmm
