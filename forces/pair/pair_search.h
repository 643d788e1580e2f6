#pragma once

#include "core/errors.h"
#include "core/run/choices.h"
#include "forces/pair/pair_model.h"

namespace dropmd {

/// How the pairs of atoms on a GPU are found.
struct PairSearch {
  NeighborMethod method = NeighborMethod::all_pairs;  ///< not `automatic`
  double skin = 0;        ///< length beyond the cutoff: a search serves until an atom has moved by half of it
  double cell_share = 0;  ///< edge of cells, as a share of cutoff and skin; 1 at least for sorted cells; 0: as is best
  ListForm form = ListForm::automatic;  ///< of a pair list
};

/// Cutoffs of more contact distances than this leave some ten atoms in a cell whose edge is half of them, which is then
/// best (measured: docs/experiments.md).
inline constexpr double kManyContacts = 4;
/// Contact distance of a model that knows none, as a share of the cutoff.
inline constexpr double kUsualContact = 0.2;

/// The cutoff that every method but all-pairs needs. Throws InputError where a pair term has none.
inline double search_cutoff(const PairModel& model) {
  const double cutoff = model.cutoff();
  if (!(cutoff > 0 && cutoff < kLongestCutoff))
    throw InputError("the neighbor method needs a cutoff for every pair term (use all-pairs, or give cutoffs)");
  return cutoff;
}

/// The share of a search's cells, that of the rule where none is given.
inline double cell_share_of(const PairModel& model, const PairSearch& search) {
  if (search.cell_share > 0) return search.cell_share;
  const double cutoff = search_cutoff(model), contact = model.smallest_r_min().value_or(kUsualContact * cutoff);
  const bool many = cutoff > kManyContacts * contact;
  return search.method == NeighborMethod::sorted_cells || !many ? 1.0 : 0.5;
}

/// Whether lists of two-atom clusters suit a model: in mixed precision, for a van der Waals term alone that is cut
/// after few contact distances. (With more, what is near 256 atoms may find no room in the shared memory of smaller
/// GPUs.)
inline bool two_atom_clusters_suit(const PairModel& model, Precision precision) {
  constexpr double kFewContacts = 3;
  return precision == Precision::mixed && model.lj && !model.coulomb &&
         model.cutoff() <= kFewContacts * model.smallest_r_min().value_or(0);
}
/// From about so many atoms on they are the fastest lists (262,144: faster, 32,768: slower; docs/experiments.md).
inline constexpr std::size_t kTwoAtomMinAtoms = 200'000;

/// Whether a search is by lists of two-atom clusters: as its form says, or by the rule.
inline bool uses_two_atom_clusters(const PairSearch& search, const PairModel& model, Precision precision,
                                   std::size_t n_atoms) {
  if (search.method != NeighborMethod::pair_list) return false;
  if (search.form != ListForm::automatic) return search.form == ListForm::two_atom;
  return two_atom_clusters_suit(model, precision) && n_atoms >= kTwoAtomMinAtoms;
}

}  // namespace dropmd
