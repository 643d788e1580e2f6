#pragma once

#include <span>

#include "forces/pair/pair_model.h"

/// The size of a system's forces, as a power of two, which the quanta of force sums on a GPU follow. A model says only
/// how large forces between atoms in contact are: those of a vapour, of an ion cloud or of a plane of atoms that lie
/// apart may be smaller by many orders of magnitude. So the terms themselves are measured.
namespace dropmd {

/// The force between atoms in contact, for the largest of all: 24 ε/σ, the Lennard-Jones force at r = σ, or k_e q²/r²
/// of the largest charge at the smallest r_min (one unit of length without a van der Waals term) where that is more.
double largest_contact_force(const PairModel& model, std::span<const double> charge);

/// The same for most atoms: of the mean square of the charges and the largest r_min. A few ions among neutral atoms do
/// not raise it.
double typical_contact_force(const PairModel& model, std::span<const double> charge);

/// Exponents of two between which the scale of a system lies. A scale above the coarsest would leave the sums too
/// coarse for the liquid that atoms on top of each other become within a few steps; one below the finest would leave
/// no room for the forces of two atoms that meet in a vapour.
struct ForceScaleRange {
  int finest = 0;
  int coarsest = 0;

  static ForceScaleRange of(const PairModel& model, std::span<const double> charge);
  bool contains(int scale) const { return finest <= scale && scale <= coarsest; }
};

/// The scale that suits terms whose squares, relative to (2^scale)², add up to `mean_square` per atom: the power of two
/// at the root of that sum or below. A scale of up to twice the root stays, so that a system between two powers of two
/// does not swing; terms that are too small to be measured at this scale are to be measured again at the new one.
int fitting_scale(int scale, double mean_square, const ForceScaleRange& range);

}  // namespace dropmd
