#include "inputs/topologies/gromacs/force_field/force_field.h"

#include <fmt/core.h>

#include "inputs/nearest_word.h"
#include "inputs/text_source.h"

namespace dropmd::gromacs {
namespace {

const PairType* find_pair(const std::unordered_map<TypeKey, PairType, TypeKeyHash>& pairs, std::uint32_t a,
                          std::uint32_t b) {
  const auto found = pairs.find(key_of(std::array{a, b}));
  return found == pairs.end() ? nullptr : &found->second;
}

}  // namespace

LjNumbers ForceField::lj_of(std::uint32_t a, std::uint32_t b) const {
  if (const PairType* const pair = find_pair(nonbond_params, a, b)) return pair->lj;
  return combined(defaults->rule, types[a].lj, types[b].lj);
}

std::optional<LjNumbers> ForceField::pair_lj_of(std::uint32_t a, std::uint32_t b) const {
  if (const PairType* const pair = find_pair(pair_types, a, b)) return pair->lj;
  if (!defaults->generates_pairs) return std::nullopt;
  return scaled(defaults->rule, lj_of(a, b), defaults->fudge_lj);
}

const InteractionFunction* dihedral_table_of(const InteractionFunction& function) {
  return function.number == 1 ? &function_of(Directive::dihedrals, 9) : &function;
}

std::uint32_t read_atom_type(WordReader& words, const ForceField& field) {
  const TopologyWord word = words.word("the atom type");
  if (const auto number = field.type_names.find(word.text)) return *number;
  const auto nearest = nearest_word(word.text, field.type_names.names());
  words.fail(word, fmt::format("unknown atom type {} ({})", in_quotes(word.text),
                               nearest ? fmt::format("did you mean {}?", in_quotes(*nearest))
                                       : std::string("[ atomtypes ] has the known ones")));
}

}  // namespace dropmd::gromacs
