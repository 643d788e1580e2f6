#pragma once

#include "core/errors.h"
#include "core/run/choices.h"
#include "forces/pair/pair_model.h"

namespace dropmd {

/// How pairs of atoms on a GPU are found.
struct PairSearch {
  NeighborMethod method = NeighborMethod::all_pairs;  ///< not `automatic`
  /// Length added to the cutoff: the neighbour structure holds until an atom has moved by half of it.
  double skin = 0;
  /// Edge of cells as a fraction of cutoff + skin; at least 1 for sorted cells; 0: by rule.
  double cell_share = 0;
  ListForm form = ListForm::automatic;  ///< layout of a pair list
};

/// Returns whether a neighbour structure finds the pairs; otherwise all pairs are summed.
inline bool finds_neighbors(const PairSearch& search) { return search.method != NeighborMethod::all_pairs; }

/// If the cutoff exceeds this many contact distances, a cell whose edge is half the cutoff has about ten atoms, which
/// is fastest (measured: docs/experiments.md).
inline constexpr double kManyContacts = 4;
/// Contact distance of a model without one, as a fraction of the cutoff.
inline constexpr double kUsualContact = 0.2;

/// Returns the density of a dense liquid of atoms with a model's contact distance, in atoms per cubed length: 0.84 σ⁻³,
/// that of liquid argon at its triple point, is 1.2 per cubed contact distance (r_min = 2^(1/6) σ).
inline double liquid_density(const PairModel& model) {
  const double contact = model.smallest_r_min().value_or(kUsualContact * model.cutoff());
  return 1.2 / (contact * contact * contact);
}

/// Returns the cutoff that every method except all-pairs needs. Throws InputError if a pair term has none.
inline double search_cutoff(const PairModel& model) {
  const double cutoff = model.cutoff();
  if (!(cutoff > 0 && cutoff < kLongestCutoff))
    throw InputError("the neighbor method needs a cutoff for every pair term (use all-pairs, or give cutoffs)");
  return cutoff;
}

/// Returns the edge of cells as a fraction of cutoff + skin: the given one, or that of the rule.
inline double cell_share_of(const PairModel& model, const PairSearch& search) {
  if (search.cell_share > 0) return search.cell_share;
  const double cutoff = search_cutoff(model), contact = model.smallest_r_min().value_or(kUsualContact * cutoff);
  const bool many = cutoff > kManyContacts * contact;
  return search.method == NeighborMethod::sorted_cells || !many ? 1.0 : 0.5;
}

/// Returns whether lists of two-atom clusters suit a model: in mixed precision, for a lone van der Waals term with a
/// cutoff of few contact distances. (With more, the atoms near 256 atoms may not fit in the shared memory of smaller
/// GPUs.)
inline bool two_atom_clusters_suit(const PairModel& model, Precision precision) {
  constexpr double kFewContacts = 3;
  return precision == Precision::mixed && model.lj && !model.coulomb &&
         model.cutoff() <= kFewContacts * model.smallest_r_min().value_or(0);
}
/// From about this number of atoms on two-atom clusters are the fastest lists (262,144: faster, 32,768: slower;
/// docs/experiments.md).
inline constexpr std::size_t kTwoAtomMinAtoms = 200'000;

/// Returns whether a search uses lists of two-atom clusters, by the given form or by rule.
inline bool uses_two_atom_clusters(const PairSearch& search, const PairModel& model, Precision precision,
                                   std::size_t n_atoms) {
  if (search.method != NeighborMethod::pair_list) return false;
  if (search.form != ListForm::automatic) return search.form == ListForm::two_atom;
  return two_atom_clusters_suit(model, precision) && n_atoms >= kTwoAtomMinAtoms;
}

}  // namespace dropmd
