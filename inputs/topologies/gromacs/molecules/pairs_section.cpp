#include <fmt/core.h>

#include "inputs/text_source.h"
#include "inputs/topologies/gromacs/molecules/molecule_sections.h"

namespace dropmd::gromacs {
namespace {

/// The numbers of function 1: of the line, or of the types of the atoms.
LjNumbers pair_numbers(WordReader& words, const InteractionFunction& function, const AtomNumbers<2>& atoms,
                       const ForceField& field, const MoleculeType& molecule) {
  const TopologyWord first = words.peek();
  if (const auto given = read_parameters(words, function)) return {(*given)[0], (*given)[1]};
  const std::uint32_t a = molecule.atoms[atoms[0]].type, b = molecule.atoms[atoms[1]].type;
  if (const auto numbers = field.pair_lj_of(a, b)) return *numbers;
  const std::string types = shown(field.type_names.name(a)) + " " + shown(field.type_names.name(b));
  words.fail(first, fmt::format("no parameters for the pair {}-{} (add them here, or '{} 1 V W' to [ pairtypes ], or "
                                "set gen-pairs to yes in [ defaults ])",
                                atoms[0] + 1, atoms[1] + 1, types));
}

}  // namespace

void read_pair_line(const TopologyLine& line, const ForceField& field, MoleculeType& molecule) {
  WordReader words(line, "i j func [parameters]");
  const auto atoms = read_atoms<2>(words, molecule);
  const InteractionFunction& function = read_function(words, Directive::pairs);
  const TopologyWord first = words.peek();
  BondedPair pair;
  pair.atom = atoms;
  LjNumbers numbers;
  if (function.number == 1) {
    numbers = pair_numbers(words, function, atoms, field, molecule);
    pair.charges = field.defaults->fudge_qq * molecule.atoms[atoms[0]].charge * molecule.atoms[atoms[1]].charge;
  } else {
    const auto p = read_parameters(words, function);
    if (!p) words.fail(first, fmt::format("function 2 of [ pairs ] needs its parameters ({})", function.columns));
    pair.charges = (*p)[0] * (*p)[1] * (*p)[2];
    numbers = {(*p)[3], (*p)[4]};
  }
  if (const auto fault = fault_of(field.defaults->rule, numbers)) words.fail(first, *fault);
  pair.lj = lj_parameters(field.defaults->rule, numbers);
  std::get<std::vector<BondedPair>>(molecule.terms).push_back(pair);
}

}  // namespace dropmd::gromacs
