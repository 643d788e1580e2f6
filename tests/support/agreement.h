#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <limits>
#include <vector>

#include "tests/support/charged_atoms.h"
#include "tests/support/force_error.h"

/// Compares an evaluation of pair forces with brute force in fp64.
namespace dropmd {

/// The bounds are relative to RMS force and Σ|u|, which are meaningful where many pairs are near contact. With few
/// atoms, all forces may nearly vanish while the rounding errors of a pair's terms do not. So below kManyAtoms the
/// scales are at least a tenth of the Lennard-Jones force at r = σ, 24 ε/σ, and an energy ε per atom (ε, σ and charges
/// are about 1 here).
inline constexpr std::size_t kManyAtoms = 1000;
inline double contact_force(const ChargedAtoms& atoms) { return atoms.size() < kManyAtoms ? 2.4 : 0.0; }
inline double contact_energy(const ChargedAtoms& atoms) {
  return atoms.size() < kManyAtoms ? static_cast<double>(atoms.size()) : 0.0;
}

struct Answer {
  std::vector<Vec3<double>> force;
  PairSums sums;

  friend bool operator==(const Answer& a, const Answer& b) {
    return a.force == b.force && std::memcmp(&a.sums, &b.sums, sizeof a.sums) == 0;
  }
};

/// The output is poisoned first, so that an element that is not written shows.
inline Answer evaluate(PairForces& forces, const ChargedAtoms& atoms, Want want = Want::forces_and_energies) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  Answer answer{std::vector<Vec3<double>>(atoms.size(), {nan, nan, nan}), {}};
  answer.sums = forces.evaluate(atoms.position, answer.force, want);
  return answer;
}

/// Expects that pairs, energies and forces are within the bounds of a precision. PairScales are those of the same
/// positions.
inline void expect_agreement(const Answer& answer, const Answer& exact, const PairScales& scales,
                             const ChargedAtoms& atoms, Precision precision) {
  const Bounds bounds = bounds_of(precision);
  const ForceError error = force_error(answer.force, exact.force, contact_force(atoms));
  EXPECT_LE(error.rms, bounds.rms_force);
  EXPECT_LE(error.worst, bounds.worst_force);
  EXPECT_NEAR(answer.sums.vdw, exact.sums.vdw, bounds.energy * (scales.vdw + contact_energy(atoms)));
  EXPECT_NEAR(answer.sums.coulomb, exact.sums.coulomb, bounds.energy * (scales.coulomb + contact_energy(atoms)));

  const std::uint64_t undecided = precision == Precision::mixed ? scales.near_cutoff : 0;
  EXPECT_LE(std::max(answer.sums.pairs_within_cutoff, exact.sums.pairs_within_cutoff) -
                std::min(answer.sums.pairs_within_cutoff, exact.sums.pairs_within_cutoff),
            undecided);
  EXPECT_GE(answer.sums.candidate_pairs + undecided, answer.sums.pairs_within_cutoff);
  EXPECT_LE(answer.sums.candidate_pairs, exact.sums.candidate_pairs);
}

}  // namespace dropmd
