#pragma once

#include <cstdint>
#include <span>

#include "forces/pair/pair_model.h"

/// The scale of a system's forces, as a power of two, from which the quanta of force sums on a GPU follow. The model
/// tells only how large the forces between atoms in contact are; in a vapour, in an ion cloud or in a plane of distant
/// atoms they may be smaller by many orders of magnitude. Therefore the terms themselves are measured.
namespace dropmd {

/// Returns the largest force between atoms in contact: 24 ε/σ, the Lennard-Jones force at r = σ, or k_e q²/r² for the
/// largest charge at the smallest r_min (one unit of length without a van der Waals term), whichever is larger. charge:
/// [n_atoms].
double largest_contact_force(const PairModel& model, std::span<const double> charge);

/// Returns the same for most atoms, from the mean square of the charges and the largest r_min. A few ions among neutral
/// atoms do not raise it.
double typical_contact_force(const PairModel& model, std::span<const double> charge);

/// The exponents of two between which the scale of a system lies. Above the coarsest scale the sums would be too coarse
/// for the liquid that atoms on top of each other become within a few steps; below the finest they could not hold the
/// forces of two atoms that meet in a vapour.
struct ForceScaleRange {
  int finest = 0;
  int coarsest = 0;

  /// Returns the range for a model. charge: [n_atoms].
  static ForceScaleRange of(const PairModel& model, std::span<const double> charge);
  /// Whether the scale is in the range.
  bool contains(std::int64_t scale) const { return finest <= scale && scale <= coarsest; }
};

/// Returns the scale that suits terms whose squares, relative to (2^scale)², add up to `mean_square` per atom: the
/// largest power of two that does not exceed the root of that sum. A scale of up to twice the root is kept, so that a
/// system between two powers of two does not alternate. Terms that are too small to be measured at this scale must be
/// measured again at the new one.
int fitting_scale(int scale, double mean_square, const ForceScaleRange& range);

}  // namespace dropmd
