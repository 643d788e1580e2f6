#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "forces/atom_sums.h"
#include "forces/pair/pair_forces.h"

namespace dropmd {

/// In mixed precision a pair whose distance is nearer to a cutoff than this may count or not, in length units.
inline constexpr double kUndecidedPairs = 1e-5;

/// Plain fp64 loops over all others, in file order: the answer that every method is held against.
/// sample: indices of atoms [n]; returns [n].
std::vector<AtomSums> brute_force_atoms(Cpu cpu, const PairModel& model, PairAtoms atoms,
                                        std::span<const Vec3<double>> position, std::span<const std::uint32_t> sample);

/// The same for all atoms, as a PairForces.
std::unique_ptr<PairForces> make_brute_force(Cpu cpu, const PairModel& model, PairAtoms atoms);

}  // namespace dropmd
