#include <fmt/core.h>

#include <limits>

#include "inputs/text_source.h"
#include "inputs/topologies/gromacs/molecules/molecule_sections.h"

namespace dropmd::gromacs {
namespace {

/// Reads a residue's number, which may end with a letter (an insertion code, which is dropped).
std::int32_t read_residue_number(WordReader& words) {
  const TopologyWord word = words.word("the residue's number");
  std::string_view digits = word.text;
  const char last = static_cast<char>(digits.back() | 0x20);
  if (last >= 'a' && last <= 'z') digits.remove_suffix(1);
  if (!is_integer(digits) || digits.size() > 9)
    words.fail(word, fmt::format("the residue's number is {} (it must be a whole number)", in_quotes(word.text)));
  return static_cast<std::int32_t>(std::stol(std::string(digits)));
}

}  // namespace

MoleculeType read_molecule_type_line(const TopologyLine& line) {
  constexpr std::int64_t kMostBonds = 100;
  WordReader words(line, "name nrexcl");
  const TopologyWord name = words.word("the name of the molecule type");
  MoleculeType molecule;
  molecule.name = name.text;
  molecule.place = name.place;
  molecule.n_excluded_bonds = static_cast<std::uint32_t>(words.integer("nrexcl", 0, kMostBonds));
  words.expect_end();
  return molecule;
}

void read_atom_line(const TopologyLine& line, const ForceField& field, MoleculeType& molecule) {
  WordReader words(line, "nr type resnr residue atom cgnr [charge [mass]]");
  const TopologyWord number = words.word("the atom's number");
  const std::size_t expected = molecule.atoms.size() + 1;
  if (number.text != std::to_string(expected))
    words.fail(number, fmt::format("the atom's number is {} (it must be {}: atoms are numbered one after another)",
                                   in_quotes(number.text), expected));
  MoleculeAtom atom;
  atom.place = number.place;
  atom.type = read_atom_type(words, field);
  const AtomType& type = field.types[atom.type];
  atom.residue_number = read_residue_number(words);
  atom.residue_name = words.word("the residue's name").text;
  atom.name = words.word("the atom's name").text;
  words.integer("the charge group", std::numeric_limits<std::int32_t>::min(), std::numeric_limits<std::int32_t>::max());
  atom.charge = words.n_left() > 0 ? words.number("the charge") : type.charge;
  const TopologyWord mass = words.peek();
  atom.mass = mass ? words.number("the mass") : type.mass;
  if (atom.mass < 0) words.fail(mass, fmt::format("the mass is {} (it must be at least 0)", shown(mass.text)));
  if (words.n_left() > 0)
    words.fail(words.peek(),
               "a type for state B (dropmd has no free-energy perturbation: end the line after the mass)");
  molecule.atoms.push_back(std::move(atom));
}

}  // namespace dropmd::gromacs
