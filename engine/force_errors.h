#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "core/run/choices.h"
#include "core/vec3.h"
#include "engine/model/system.h"
#include "forces/pair/brute_force.h"

namespace dropmd {

/// The error bounds of a method (docs/architecture.md): energies relative to AtomSums::absolute of all pairs, forces
/// relative to the RMS force.
struct Bounds {
  double energy, rms_force, worst_force;
};
/// Returns the bounds of a precision.
Bounds bounds_of(Precision precision);

/// Returns at most `most` indices below n, evenly spaced: a sample of atoms.
std::vector<std::uint32_t> even_sample(std::size_t n, std::size_t most);

/// Errors of the forces on some atoms, relative to the RMS of the reference.
struct ForceErrors {
  double rms = 0;                ///< RMS |F − F_ref| / RMS |F_ref|
  double worst = 0;              ///< largest |F − F_ref| / RMS |F_ref|
  std::uint32_t worst_atom = 0;  ///< index of that atom; 0 without atoms
  double scale = 0;              ///< to which both are relative, energy/length
};

/// Returns the bounds for a system. A mesh, if it has one, adds its accuracy to them, and 30 times its accuracy to that
/// of the worst atom. scale: ForceErrors::scale.
Bounds bounds_of(const System& system, Precision precision, double scale);

/// Returns the errors of forces. force: [n_atoms]; sample: indices of atoms [n]; reference: [n], their forces. In mixed
/// precision AtomSums::undecided is subtracted from |F − F_ref|, since such pairs may differ. least_scale: replaces the
/// RMS as the scale if it is larger.
ForceErrors force_errors(std::span<const Vec3<double>> force, std::span<const std::uint32_t> sample,
                         std::span<const AtomSums> reference, Precision precision, double least_scale = 0);

/// Returns a tenth of the RMS of the sum that the pair terms would have with random directions. Forces of that size or
/// below are differences of large terms: for clusters of 13 and 40 atoms, at their minima and at temperatures up to 5
/// ε/k_B, errors in mixed precision are at most 2.3e-6 of it (every step of 20,000).
double scale_of_terms(std::span<const AtomSums> atoms);

}  // namespace dropmd
