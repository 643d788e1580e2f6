#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "forces/pair/pair_forces.h"

namespace dropmd {

/// In mixed precision a pair whose distance is nearer to a cutoff than this may count or not, in length units.
inline constexpr double kUndecidedPairs = 1e-5;

/// One atom's sums over all other atoms (directed pairs).
struct AtomSums {
  Vec3<double> force{};
  double vdw = 0;
  double coulomb = 0;
  /// Σ|u| of both terms within their cutoffs, of the Lennard-Jones potential and of 1/r whatever their treatment at the
  /// cutoff: what energy errors are relative to. Energies of several pairs may cancel, and those of one pair vanish at
  /// the cutoff as the difference of two that do not.
  double absolute = 0;
  /// Σ over pairs of the squared sizes of what their forces are made of - repulsion, attraction, Coulomb: the rounding
  /// of forces goes with these, however much they cancel.
  double terms2 = 0;
  std::uint64_t within = 0;
  double undecided = 0;  ///< how far the force may move where pairs within kUndecidedPairs of a cutoff count or do not
};

/// Plain fp64 loops over all others, in file order: the answer that every method is held against.
/// sample: indices of atoms [n]; returns [n].
std::vector<AtomSums> brute_force_atoms(Cpu cpu, const PairModel& model, PairAtoms atoms,
                                        std::span<const Vec3<double>> position, std::span<const std::uint32_t> sample);

/// The same for all atoms, as a PairForces.
std::unique_ptr<PairForces> make_brute_force(Cpu cpu, const PairModel& model, PairAtoms atoms);

}  // namespace dropmd
