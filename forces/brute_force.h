#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "forces/pair_forces.h"

namespace dropmd {

/// One atom's sums over all other atoms (directed pairs).
struct AtomSums {
  Vec3<double> force{};
  double vdw = 0;
  double coulomb = 0;
  double absolute = 0;  ///< Σ|u| of both terms: what energy errors are relative to, since energies may cancel
  std::uint64_t within = 0;
};

/// Plain fp64 loops over all others, in file order: the answer that every method is held against.
/// sample: indices of atoms [n]; returns [n].
std::vector<AtomSums> brute_force_atoms(Cpu cpu, const PairModel& model, PairAtoms atoms,
                                        std::span<const Vec3<double>> position, std::span<const std::uint32_t> sample);

/// The same for all atoms, as a PairForces.
std::unique_ptr<PairForces> make_brute_force(Cpu cpu, const PairModel& model, PairAtoms atoms);

}  // namespace dropmd
