#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "forces/atom_sums.h"
#include "forces/pair/pair_forces.h"

namespace dropmd {

/// In mixed precision a pair closer to a cutoff than this may or may not count, in length units.
inline constexpr double kUndecidedPairs = 1e-5;

/// Computes plain fp64 sums over all other atoms, in the order of Particles: the reference with which every method is
/// compared. sample: indices of atoms [n]; returns [n].
std::vector<AtomSums> brute_force_atoms(Cpu cpu, const PairModel& model, PairAtoms atoms,
                                        std::span<const Vec3<double>> position, std::span<const std::uint32_t> sample);

/// The same for all atoms, as a PairForces.
std::unique_ptr<PairForces> make_brute_force(Cpu cpu, const PairModel& model, PairAtoms atoms);

}  // namespace dropmd
