#pragma once

#include <cstdint>
#include <span>

#include "core/run/choices.h"
#include "core/vec3.h"
#include "forces/pair/brute_force.h"

namespace dropmd {

/// What a method must keep (docs/architecture.md): energies relative to AtomSums::absolute of all pairs, forces
/// relative to the RMS force.
struct Bounds {
  double energy, rms_force, worst_force;
};
Bounds bounds_of(Precision precision);

/// How far the forces on some atoms are from their reference, relative to the reference's RMS.
struct ForceErrors {
  double rms = 0;                ///< RMS |F − F_ref| / RMS |F_ref|
  double worst = 0;              ///< largest |F − F_ref| / RMS |F_ref|
  std::uint32_t worst_atom = 0;  ///< index of that atom; 0 without atoms
};

/// force: [n_atoms]; sample: indices of atoms [n]; reference: [n], theirs. In mixed precision |F − F_ref| is counted
/// less AtomSums::undecided, since such pairs may differ. least_scale: errors are relative to it where the RMS is less.
ForceErrors force_errors(std::span<const Vec3<double>> force, std::span<const std::uint32_t> sample,
                         std::span<const AtomSums> reference, Precision precision, double least_scale = 0);

/// A tenth of the RMS of what the terms of the pairs would sum up to, had they random directions. Forces near that or
/// below are differences of large terms: clusters of 13 and 40 atoms, at their minima and at temperatures up to 5
/// ε/k_B, are off by at most 2.3e-6 of it in mixed precision (every step of 20,000).
double scale_of_terms(std::span<const AtomSums> atoms);

}  // namespace dropmd
