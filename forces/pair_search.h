#pragma once

#include "core/choices.h"
#include "core/errors.h"
#include "forces/pair_model.h"

namespace dropmd {

/// How the pairs of atoms on a GPU are found.
struct PairSearch {
  NeighborMethod method = NeighborMethod::all_pairs;  ///< not `automatic`
  double skin = 0;        ///< length beyond the cutoff: a search serves until an atom has moved by half of it
  double cell_share = 0;  ///< edge of cells, as a share of cutoff and skin; 1 at least for sorted cells; 0: as is best
};

/// Cutoffs of more contact distances than this leave some ten atoms in a cell whose edge is half of them, which is then
/// best (measured: docs/performance.md).
inline constexpr double kManyContacts = 4;

/// The cutoff that every method but all-pairs needs. Throws InputError where a pair term has none.
inline double search_cutoff(const PairModel& model) {
  const double cutoff = model.cutoff();
  if (!(cutoff > 0 && cutoff < kLongestCutoff))
    throw InputError("the neighbor method needs a cutoff for every pair term (use all-pairs, or give cutoffs)");
  return cutoff;
}

}  // namespace dropmd
