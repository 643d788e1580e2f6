#pragma once

#include "forces/mesh/coulomb_split.h"

namespace dropmd {

/// The potential of a unit charge that a mesh computes: the smooth part L of a split, or its excess over the smooth
/// part of a wider split, L − L_wide, which vanishes from the wider cutoff on. A coarser mesh then has the latter.
class MeshKernel {
 public:
  /// The splits must outlive the kernel.
  // NOLINTNEXTLINE(google-explicit-constructor,hicpp-explicit-conversions): a split alone is the usual kernel.
  MeshKernel(const CoulombSplit& split, const CoulombSplit* wide = nullptr) : split_(&split), wide_(wide) {}

  const CoulombSplit& split() const { return *split_; }
  /// Whether the potential vanishes beyond a distance, the range.
  bool has_range() const { return wide_ != nullptr; }
  double range() const { return wide_->cutoff(); }
  /// The split whose smooth part is left out; null: there is none.
  const CoulombSplit* wide() const { return wide_; }

  /// Returns the potential at the charge, 1/length.
  double at_zero() const { return split_->smooth(0) - (wide_ != nullptr ? wide_->smooth(0) : 0); }
  /// Returns the factor of 4π/k² in the Fourier transform; k: 1/length.
  double transform(double k) const { return split_->transform(k) - (wide_ != nullptr ? wide_->transform(k) : 0); }
  /// Returns the integral of a potential that has a range over space, length².
  double integral() const { return 2 * kPi * (wide_->second_moment() - split_->second_moment()); }

 private:
  static constexpr double kPi = 3.14159265358979323846;

  const CoulombSplit* split_;
  const CoulombSplit* wide_;
};

}  // namespace dropmd
