#include "inputs/topologies/gromacs/force_field/bonded_types.h"

#include <fmt/core.h>

#include <algorithm>
#include <limits>

namespace dropmd::gromacs {
namespace {

void warn_of_override(const TextPlace& now, const TextPlace& before, WarningList& warnings) {
  const std::string where = now.inclusion == before.inclusion ? fmt::format("line {}", before.line) : "another file";
  warnings.add(now, fmt::format("these parameters replace those of {} for the same types", where));
}

}  // namespace

std::uint32_t NameTable::add(std::string_view name) {
  if (const auto number = find(name)) return *number;
  const auto number = static_cast<std::uint32_t>(names_.size());
  names_.emplace_back(name);
  numbers_.emplace(name, number);
  return number;
}

std::optional<std::uint32_t> NameTable::find(std::string_view name) const {
  const auto found = numbers_.find(name);
  return found == numbers_.end() ? std::nullopt : std::optional(found->second);
}

std::size_t TypeKeyHash::operator()(const TypeKey& key) const {
  std::uint64_t hash = 0x9E3779B97F4A7C15U;
  for (const std::uint32_t type : key) {
    hash = (hash ^ type) * 0xBF58476D1CE4E5B9U;
    hash ^= hash >> 29U;
  }
  return hash;
}

TypeKey key_of(std::span<const std::uint32_t> types) {
  TypeKey forward{}, backward{};
  std::copy(types.begin(), types.end(), forward.begin());
  std::copy(types.rbegin(), types.rend(), backward.begin());
  return std::min(forward, backward);
}

void BondedTypeTable::add(std::span<const std::uint32_t> types, const Parameters& parameters, WarningList& warnings) {
  const auto [found, is_new] = parameters_.emplace(key_of(types), parameters);
  if (is_new || found->second.value == parameters.value) return;
  warn_of_override(parameters.place, found->second.place, warnings);
  found->second = parameters;
}

const Parameters* BondedTypeTable::find(std::span<const std::uint32_t> types) const {
  const auto found = parameters_.find(key_of(types));
  return found == parameters_.end() ? nullptr : &found->second;
}

std::size_t DihedralTypeTable::n_terms_from(std::size_t first) const {
  std::size_t last = first + 1;
  while (last < entries_.size() && entries_[last].types == entries_[first].types) ++last;
  return last - first;
}

void DihedralTypeTable::add(const Types& types, const Parameters& parameters, bool may_repeat, const SourceMap& sources,
                            WarningList& warnings) {
  constexpr std::size_t kMostTerms = 100;
  const auto [found, is_new] = first_.emplace(key_of(types), entries_.size());
  if (is_new) {
    entries_.push_back({types, parameters});
    return;
  }
  const std::size_t first = found->second, n = n_terms_from(first);
  for (std::size_t k = first; k < first + n; ++k)
    if (entries_[k].parameters.value == parameters.value) return;
  const bool continues = entries_.back().types == types;
  if (may_repeat ? !continues : n > 1)
    sources.fail(parameters.place,
                 fmt::format("these types have other parameters on line {} (all terms of a dihedral of function 9 must "
                             "be on consecutive lines, with the types in the same order)",
                             entries_[first].parameters.place.line));
  if (n >= kMostTerms)
    sources.fail(parameters.place, fmt::format("more than {} terms for these types (check the lines)", kMostTerms));
  if (may_repeat) {
    entries_.push_back({types, parameters});
  } else {
    warn_of_override(parameters.place, entries_[first].parameters.place, warnings);
    entries_[first].parameters = parameters;
  }
}

std::vector<const Parameters*> DihedralTypeTable::find(const Types& types) const {
  constexpr std::size_t kNone = std::numeric_limits<std::size_t>::max();
  std::array<std::size_t, 5> best{};  // the first entry for each number of types that are not kAnyType
  best.fill(kNone);
  for (unsigned wildcards = 0; wildcards < 16; ++wildcards) {
    Types wanted = types;
    std::size_t n_exact = 4;
    for (unsigned k = 0; k < 4; ++k)
      if ((wildcards >> k & 1U) != 0) {
        wanted[k] = kAnyType;
        --n_exact;
      }
    if (const auto found = first_.find(key_of(wanted)); found != first_.end())
      best[n_exact] = std::min(best[n_exact], found->second);
  }
  std::vector<const Parameters*> terms;
  for (std::size_t n_exact = 5; n_exact-- > 0 && terms.empty();) {
    const std::size_t first = best[n_exact];
    if (first == kNone) continue;
    for (std::size_t k = first; k < first + n_terms_from(first); ++k) terms.push_back(&entries_[k].parameters);
  }
  return terms;
}

}  // namespace dropmd::gromacs
