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

std::uint32_t read_name(WordReader& words, std::string_view kind, const NameTable& names) {
  const TopologyWord word = words.word(kind);
  if (const auto number = names.find(word.text)) return *number;
  const auto nearest = nearest_word(word.text, names.names());
  const std::string remedy =
      nearest ? fmt::format("did you mean {}?", in_quotes(*nearest)) : std::string("add it to [ atomtypes ]");
  words.fail(word, fmt::format("unknown {} {} ({})", kind, in_quotes(word.text), remedy));
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
  return read_name(words, "atom type", field.type_names);
}

std::uint32_t read_bonded_type(WordReader& words, const ForceField& field) {
  return read_name(words, "bonded type", field.bonded_names);
}

}  // namespace dropmd::gromacs
