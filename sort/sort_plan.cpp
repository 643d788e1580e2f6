#include "sort/sort_plan.h"

#include <algorithm>
#include <limits>
#include <stdexcept>
#include <vector>

namespace dropmd {

void group_by_molecule(const Cpu&, const int* molecule_of_atom, int n_atoms, int n_molecules,
                       const MoleculeLists& lists) {
  if (n_atoms < 0 || n_molecules < 0)
    throw std::invalid_argument("group_by_molecule: a negative number of atoms or molecules");
  // A counting sort; the atoms that belong to no molecule count as one more molecule.
  const auto key = [=](int atom) {
    const int m = molecule_of_atom[atom];
    return static_cast<std::size_t>(m >= 0 && m < n_molecules ? m : n_molecules);
  };
  std::vector<int> place(static_cast<std::size_t>(n_molecules) + 2, 0);
  for (int atom = 0; atom < n_atoms; ++atom) ++place[key(atom) + 1];
  for (std::size_t m = 1; m < place.size(); ++m) place[m] += place[m - 1];
  std::copy(place.begin(), place.end() - 1, lists.offsets);
  for (int atom = 0; atom < n_atoms; ++atom) lists.atoms[place[key(atom)]++] = atom;
}

void expand_molecules(const Cpu& cpu, const SortedBases& bases, const MoleculesView& molecules,
                      const AtomOrder& order) {
  if (bases.segments.n_keys < 0 || bases.segments.count < 0)
    throw std::invalid_argument("expand_molecules: a negative number of base atoms or segments");
  const auto n = static_cast<std::size_t>(bases.segments.n_keys);
  std::vector<int> start(n + 1, 0);
  for (std::size_t k = 0; k < n; ++k) {
    const int size = atoms_of_base(bases, molecules, static_cast<int>(k)).size;
    if (size > std::numeric_limits<int>::max() - start[k])
      throw std::invalid_argument("expand_molecules: more atoms in all arrays than an int can count");
    start[k + 1] = start[k] + size;
  }
  for_each_index(cpu, n, [&](std::size_t k) {
    const MoleculeAtoms list = atoms_of_base(bases, molecules, static_cast<int>(k));
    const int size = std::min(list.size, order.capacity - start[k]);
    for (int i = 0; i < size; ++i) order.atoms[start[k] + i] = list.atom(molecules.atoms, i);
  });
  for (int s = 0; s <= bases.segments.count; ++s)
    order.offsets[s] = start[static_cast<std::size_t>(bases_before(bases.segments, s))];
}

}  // namespace dropmd
