#pragma once

#include <cstdint>

#include "core/vec3.h"

namespace dropmd {

/// The sums over all terms for one atom in fp64: the reference with which every method is compared.
struct AtomSums {
  Vec3<double> force{};  ///< energy/length
  double vdw = 0;        ///< energy of the atom's directed pairs
  double coulomb = 0;    ///< energy of the atom's directed pairs
  /// Σ|u| of both pair terms within their cutoffs, with the untreated Lennard-Jones potential and 1/r whatever the
  /// treatment at the cutoff. Energy errors are relative to this sum: the energies of several pairs may cancel, and
  /// that of one pair vanishes at the cutoff as the difference of two values that do not.
  double absolute = 0;
  /// Σ over pairs of the squared magnitudes of the parts of their forces - repulsion, attraction, Coulomb. The rounding
  /// of forces scales with these, however much they cancel.
  double terms2 = 0;
  std::uint64_t within = 0;  ///< number of directed pairs within the larger cutoff
  /// Largest change of the force if pairs within kUndecidedPairs of a cutoff are counted or left out, energy/length.
  double undecided = 0;

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
