#pragma once

#include <algorithm>
#include <cstddef>
#include <type_traits>

#include "core/execution.h"
#include "core/ordered_sum.h"
#include "sort/segments.h"

/// The second stage of a sort (E. S. Fomin, 2013): what was sorted is the plan, a permutation; it is then applied to
/// the arrays that go with the keys, and to the other atoms of the molecules whose base atoms were sorted. The CPU's
/// side; sort/sort_plan.cuh has the GPU's, with the same views and the same bytes.
namespace dropmd {

/// Where each element of the output comes from: out[k] = in[source[k]] for k < size. A source outside [0, n_inputs), as
/// a faulty segment may leave it, leaves its place in the output alone.
struct SortPlan {
  const int* source = nullptr;  ///< [size]
  int size = 0;
  int n_inputs = 0;

  static constexpr SortPlan permutation(const int* source, int n) { return {source, n, n}; }
};

/// An array that goes with the keys, of trivially copyable elements; in and out don't overlap.
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

/// The atoms of each molecule (CSR): molecule m has atoms[offsets[m] .. offsets[m + 1]), its base atom first. Atoms of
/// no molecule stand behind the last molecule's.
struct MoleculesView {
  const int* offsets = nullptr;  ///< [n_molecules + 1]
  const int* atoms = nullptr;    ///< [n_atoms] atom indices
  int n_molecules = 0;
  int n_atoms = 0;
};

/// Where group_by_molecule puts what a MoleculesView then shows.
struct MoleculeLists {
  int* offsets = nullptr;  ///< [n_molecules + 1]
  int* atoms = nullptr;    ///< [n_atoms]
};

/// Lists the atoms of each molecule in order of index, so that a molecule's base atom is that of lowest index.
/// molecule_of_atom [n_atoms]: 0 .. n_molecules - 1; anything else is an atom of no molecule. Throws
/// std::invalid_argument for a negative number of atoms or molecules.
void group_by_molecule(const Cpu& cpu, const int* molecule_of_atom, int n_atoms, int n_molecules,
                       const MoleculeLists& lists);

/// Base atoms after their sort: one for each molecule of an array; a molecule may stand in several arrays.
struct SortedBases {
  Segments segments;  ///< the arrays; n_keys base atoms in all
  const int* permutation =
      nullptr;                    ///< [n_keys] positions in the whole array of base atoms, as sort_segments gives them
  const int* molecule = nullptr;  ///< [n_keys], before the sort: of each base atom; ~a for an atom a of no molecule
};

/// The atoms of the molecules, in the order of their base atoms.
struct AtomOrder {
  int* atoms = nullptr;    ///< [capacity] atom indices: the source of a SortPlan with n_inputs = n_atoms
  int capacity = 0;        ///< what goes beyond is dropped; offsets tell the size that was needed
  int* offsets = nullptr;  ///< [segments.count + 1]: the same arrays, in atoms
};

/// Replaces each base atom by its molecule's atoms, the base atom first. The arrays keep their order and bounds: atoms
/// of one segment stay in it. A base whose position or molecule is out of range has no atoms.
///
/// The atoms of all arrays together must be fewer than 2^31: the CPU throws std::invalid_argument otherwise, the GPU
/// drops what lies beyond.
///
/// Only base atoms are in order: an atom may lie as far from its base atom's place in the order as it lies from its
/// base atom along the sorted coordinate. Whoever compares sorted coordinates with a cutoff widens the cutoff by the
/// molecules' extent (the largest such distance; twice, if both partners are atoms of molecules), beside the quantum of
/// Quantization.
void expand_molecules(const Cpu& cpu, const SortedBases& bases, const MoleculesView& molecules, const AtomOrder& order);

/// A base atom's list of atoms. One text for both processors.
struct MoleculeAtoms {
  int first;  ///< in MoleculesView::atoms; ~a: the atom a alone
  int size;

  DROPMD_HOST_DEVICE int atom(const int* atoms, int i) const { return first < 0 ? ~first : atoms[first + i]; }
};

/// The atoms that stand for the base atom at place k of the sorted array.
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

/// Number of base atoms that stand before segment s; s <= count.
DROPMD_HOST_DEVICE inline int bases_before(const Segments& segments, int s) {
  const long long bound =
      segments.offsets != nullptr ? segments.offsets[s] : static_cast<long long>(s) * segments.length;
  if (bound < 0) return 0;
  return bound < segments.n_keys ? static_cast<int>(bound) : segments.n_keys;
}

}  // namespace dropmd
