#include "inputs/topologies/gromacs/molecules/exclusion_lists.h"

#include <fmt/core.h>

#include <algorithm>

namespace dropmd::gromacs {
namespace {

constexpr std::size_t kMostOfAnAtom = 4096;

/// Visits the atoms within a number of bonds of one atom, breadth first.
class BondWalk {
 public:
  explicit BondWalk(const MoleculeType& molecule)
      : neighbours_(exclusions_of_pairs(molecule.atoms.size(), molecule.chemical_bonds)),
        seen_by_(molecule.atoms.size(), kNobody) {}

  /// Appends the atoms that are 1 to `n_bonds` bonds from `atom`; stops when the list is longer than kMostOfAnAtom.
  void append(std::uint32_t atom, std::uint32_t n_bonds, std::vector<std::uint32_t>& list) {
    seen_by_[atom] = atom;
    std::size_t begin = list.size();
    append_neighbours(atom, atom, list);
    for (std::uint32_t bonds = 1; bonds < n_bonds && begin < list.size(); ++bonds) {
      const std::size_t end = list.size();
      for (; begin < end && list.size() <= kMostOfAnAtom; ++begin) append_neighbours(list[begin], atom, list);
      if (list.size() > kMostOfAnAtom) return;
    }
  }

 private:
  static constexpr std::uint32_t kNobody = 0xFFFFFFFF;

  void append_neighbours(std::uint32_t atom, std::uint32_t seer, std::vector<std::uint32_t>& list) {
    for (const std::uint32_t neighbour : neighbours_.of(atom)) {
      if (seen_by_[neighbour] == seer) continue;
      seen_by_[neighbour] = seer;
      list.push_back(neighbour);
    }
  }

  Exclusions neighbours_;  ///< the bonds, in the form of exclusions
  std::vector<std::uint32_t> seen_by_;
};

}  // namespace

Exclusions exclusions_of(const MoleculeType& molecule, const SourceMap& sources) {
  const std::size_t n_atoms = molecule.atoms.size();
  const Exclusions listed = exclusions_of_pairs(n_atoms, molecule.excluded_pairs);
  BondWalk walk(molecule);
  Exclusions exclusions;
  exclusions.start.push_back(0);
  std::vector<std::uint32_t> list;
  for (std::uint32_t atom = 0; atom < n_atoms; ++atom) {
    list.clear();
    if (molecule.n_excluded_bonds > 0) walk.append(atom, molecule.n_excluded_bonds, list);
    list.insert(list.end(), listed.of(atom).begin(), listed.of(atom).end());
    std::sort(list.begin(), list.end());
    list.erase(std::unique(list.begin(), list.end()), list.end());
    if (list.size() > kMostOfAnAtom)
      sources.fail(molecule.place, fmt::format("atom {} of this molecule type has {} or more exclusions (at most {} "
                                               "are allowed: lower nrexcl, or use constraints of function 2)",
                                               atom + 1, list.size(), kMostOfAnAtom));
    exclusions.excluded.insert(exclusions.excluded.end(), list.begin(), list.end());
    exclusions.start.push_back(static_cast<std::uint32_t>(exclusions.excluded.size()));
  }
  return exclusions;
}

}  // namespace dropmd::gromacs
