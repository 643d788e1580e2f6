#pragma once

#include <cstdint>

#include "core/vec3.h"

namespace dropmd {

/// What all terms do to one atom, summed in fp64: the reference that every method is held against.
struct AtomSums {
  Vec3<double> force{};
  double vdw = 0;      ///< of the directed pairs of the atom
  double coulomb = 0;  ///< likewise
  /// Σ|u| of both pair terms within their cutoffs, of the Lennard-Jones potential and of 1/r whatever their treatment
  /// at the cutoff: what energy errors are relative to. Energies of several pairs may cancel, and those of one pair
  /// vanish at the cutoff as the difference of two that do not.
  double absolute = 0;
  /// Σ over pairs of the squared sizes of what their forces are made of - repulsion, attraction, Coulomb: the rounding
  /// of forces goes with these, however much they cancel.
  double terms2 = 0;
  std::uint64_t within = 0;
  double undecided = 0;  ///< how far the force may move where pairs within kUndecidedPairs of a cutoff count or do not

  AtomSums& operator+=(const AtomSums& o) {
    force += o.force;
    vdw += o.vdw;
    coulomb += o.coulomb;
    absolute += o.absolute;
    terms2 += o.terms2;
    within += o.within;
    undecided += o.undecided;
    return *this;
  }
};

}  // namespace dropmd
