#include "inputs/topologies/gromacs/molecules/molecule_type.h"

#include <fmt/core.h>

#include <algorithm>

#include "inputs/text_source.h"

namespace dropmd::gromacs {

std::uint32_t read_atom(WordReader& words, const MoleculeType& molecule) {
  const TopologyWord word = words.peek();
  const std::size_t n = molecule.atoms.size();
  if (word && n == 0) words.fail(word, "the molecule type has no atoms yet ([ atoms ] comes first)");
  return static_cast<std::uint32_t>(words.integer("the number of an atom", 1, static_cast<std::int64_t>(n)) - 1);
}

template <std::size_t n>
AtomNumbers<n> read_atoms(WordReader& words, const MoleculeType& molecule) {
  AtomNumbers<n> atoms{};
  for (std::size_t k = 0; k < n; ++k) {
    const TopologyWord word = words.peek();
    atoms[k] = read_atom(words, molecule);
    if (std::find(atoms.begin(), atoms.begin() + static_cast<std::ptrdiff_t>(k), atoms[k]) !=
        atoms.begin() + static_cast<std::ptrdiff_t>(k))
      words.fail(word,
                 fmt::format("atom {} occurs twice in an interaction (choose different atoms)", shown(word.text)));
  }
  return atoms;
}

template AtomNumbers<1> read_atoms<1>(WordReader&, const MoleculeType&);
template AtomNumbers<2> read_atoms<2>(WordReader&, const MoleculeType&);
template AtomNumbers<3> read_atoms<3>(WordReader&, const MoleculeType&);
template AtomNumbers<4> read_atoms<4>(WordReader&, const MoleculeType&);
template AtomNumbers<5> read_atoms<5>(WordReader&, const MoleculeType&);

std::string text_of_atoms(std::span<const std::uint32_t> atoms, const MoleculeType& molecule, const ForceField& field) {
  std::string numbers, types;
  for (const std::uint32_t atom : atoms) {
    const std::string dash = numbers.empty() ? "" : "-";
    numbers += dash + std::to_string(atom + 1);
    const std::uint32_t bonded = field.types[molecule.atoms[atom].type].bonded;
    types += dash + shown(field.bonded_names.name(bonded));
  }
  return fmt::format("{} ({})", numbers, types);
}

}  // namespace dropmd::gromacs
