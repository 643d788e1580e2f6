#pragma once

#include <algorithm>
#include <cstddef>
#include <type_traits>

#include "core/execution.h"
#include "core/ordered_sum.h"
#include "sort/segments.h"

/// The second stage of a sort (E. S. Fomin, 2013): the sort yields a plan, a permutation, which is then applied to the
/// arrays that belong to the keys, and to the other atoms of the molecules whose base atoms were sorted. This is the
/// CPU's interface; sort/sort_plan.cuh has the GPU's, with the same views and bitwise identical results.
namespace dropmd {

/// Where each element of the output comes from: out[k] = in[source[k]] for k < size. A source outside [0, n_inputs), as
/// a faulty segment may produce, leaves its position in the output unchanged.
struct SortPlan {
  const int* source = nullptr;  ///< [size]
  int size = 0;
  int n_inputs = 0;

  /// A plan for an output as large as the input.
  static constexpr SortPlan permutation(const int* source, int n) { return {source, n, n}; }
};

/// An array of trivially copyable elements that belongs to the keys; in and out must not overlap.
template <class T>
struct Payload {
  const T* in = nullptr;  ///< [n_inputs]
  T* out = nullptr;       ///< [size]
};

/// Applies a plan to any number of arrays; the plan is read once for all of them.
template <class... T>
void apply_permutation(const Cpu& cpu, const SortPlan& plan, const Payload<T>&... arrays) {
  static_assert((std::is_trivially_copyable_v<T> && ...));
  for_each_index(cpu, static_cast<std::size_t>(std::max(0, plan.size)), [&](std::size_t k) {
    const int source = plan.source[k];
    if (source >= 0 && source < plan.n_inputs) ((arrays.out[k] = arrays.in[source]), ...);
  });
}

/// The atoms of each molecule (CSR): molecule m has atoms[offsets[m] .. offsets[m + 1]), its base atom first. Atoms
/// that belong to no molecule come after those of the last molecule.
struct MoleculesView {
  const int* offsets = nullptr;  ///< [n_molecules + 1]
  const int* atoms = nullptr;    ///< [n_atoms] atom indices
  int n_molecules = 0;
  int n_atoms = 0;
};

/// Where group_by_molecule() writes the arrays of a MoleculesView.
struct MoleculeLists {
  int* offsets = nullptr;  ///< [n_molecules + 1]
  int* atoms = nullptr;    ///< [n_atoms]
};

/// Lists the atoms of each molecule in the order of their indices, so that a molecule's base atom is the one with the
/// lowest index. molecule_of_atom [n_atoms]: 0 .. n_molecules - 1; any other value means no molecule. Throws
/// std::invalid_argument for a negative number of atoms or molecules.
void group_by_molecule(const Cpu& cpu, const int* molecule_of_atom, int n_atoms, int n_molecules,
                       const MoleculeLists& lists);

/// Base atoms after their sort: one for each molecule of an array; a molecule may occur in several arrays.
struct SortedBases {
  Segments segments;  ///< the arrays; n_keys base atoms in all
  /// [n_keys] positions in the whole array of base atoms, as sort_segments() returns them.
  const int* permutation = nullptr;
  /// [n_keys], before the sort: of each base atom; ~a for an atom a that belongs to no molecule.
  const int* molecule = nullptr;
};

/// The atoms of the molecules, in the order of their base atoms.
struct AtomOrder {
  int* atoms = nullptr;    ///< [capacity] atom indices: the source of a SortPlan with n_inputs = n_atoms
  int capacity = 0;        ///< what exceeds it is dropped; the offsets tell the size that was needed
  int* offsets = nullptr;  ///< [segments.count + 1]: the same arrays, in atoms
};

/// Replaces each base atom by its molecule's atoms, the base atom first. The arrays keep their order and bounds: atoms
/// of one segment stay in it. A base whose position or molecule is out of range has no atoms.
///
/// There must be fewer than 2^31 atoms in all arrays together: otherwise the CPU throws std::invalid_argument, and the
/// GPU drops the excess.
///
/// Only base atoms are in order: any other atom follows its base atom, however far apart they are along the sorted
/// coordinate. Code that compares sorted coordinates with a cutoff must increase the cutoff by the extent of the
/// molecules (the largest such distance; twice, if both partners are atoms of molecules), in addition to the quantum of
/// Quantization.
void expand_molecules(const Cpu& cpu, const SortedBases& bases, const MoleculesView& molecules, const AtomOrder& order);

/// A base atom's list of atoms; one source for both processors.
struct MoleculeAtoms {
  int first;  ///< index in MoleculesView::atoms; ~a: only the atom a
  int size;

  DROPMD_HOST_DEVICE int atom(const int* atoms, int i) const { return first < 0 ? ~first : atoms[first + i]; }
};

/// Returns the atoms for the base atom at position k of the sorted array.
DROPMD_HOST_DEVICE inline MoleculeAtoms atoms_of_base(const SortedBases& bases, const MoleculesView& molecules, int k) {
  const int base = bases.permutation[k];
  if (base < 0 || base >= bases.segments.n_keys) return {};
  const int m = bases.molecule[base];
  if (m < 0) return ~m < molecules.n_atoms ? MoleculeAtoms{m, 1} : MoleculeAtoms{};
  if (m >= molecules.n_molecules) return {};
  const int first = molecules.offsets[m];
  const int end = molecules.offsets[m + 1];
  return first >= 0 && first <= end && end <= molecules.n_atoms ? MoleculeAtoms{first, end - first} : MoleculeAtoms{};
}

/// Returns the number of base atoms before segment s; s <= count.
DROPMD_HOST_DEVICE inline int bases_before(const Segments& segments, int s) {
  const long long bound =
      segments.offsets != nullptr ? segments.offsets[s] : static_cast<long long>(s) * segments.length;
  if (bound < 0) return 0;
  return bound < segments.n_keys ? static_cast<int>(bound) : segments.n_keys;
}

}  // namespace dropmd
