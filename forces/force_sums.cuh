#pragma once

#include <cstdint>

#include "core/vec3.h"
#include "device/error_record.cuh"
#include "forces/pair/cuda/all_pairs/tile_shape.h"
#include "forces/pair/pair_term.h"

/// Forces in 64-bit fixed point. Integer sums do not depend on the order of their terms, so tiles may add whenever they
/// are ready and the result stays bitwise identical.
namespace dropmd {

/// What a force kernel may report; codes of an ErrorRecord, whose index is the storage index of the atom.
enum class ForceFault : std::uint8_t { not_finite = 1 };

/// Resolution and range of the sums. A term below kPlain quanta is added to `low`. A larger one is split exactly:
/// multiples of 2^kHighShift quanta are added to `high`, the remainder to `low`. A term of kLargest quanta or more (or
/// NaN) is reported. 2^kCountBits terms of either kind cannot overflow 63 bits. The quantum is a fraction of the force
/// scale (force_scale.h).
template <class Real>
struct FixedPoint;
template <>
struct FixedPoint<float> {
  static constexpr int kQuantumBits = 32;  ///< quanta per force scale, as a power of two
  static constexpr int kCountBits = 16;
  static constexpr int kHighShift = 40;
  static constexpr float kPlain = 0x1p46F;
  static constexpr float kLargest = 0x1p86F;
};
template <>
struct FixedPoint<double> {
  static constexpr int kQuantumBits = 50;
  static constexpr int kCountBits = 16;
  static constexpr int kHighShift = 40;
  static constexpr double kPlain = 0x1p46;
  static constexpr double kLargest = 0x1p86;
};

/// Sums of the squares of terms relative to the scale, as multiples of 2⁻³²; squares above 2¹² count as 2¹². There are
/// many counters, so that threads seldom contend for one.
struct TermSquares {
  static constexpr std::uint32_t kCounters = 1024;
  static constexpr int kUnitBits = 32;
  static constexpr int kMostBits = 12;
};

/// The sums by tile of kTileAtoms atoms, [n_tiles][3][kTileAtoms], so that accesses of a warp's atoms coalesce.
template <class Real>
struct ForceSumsView {
  unsigned long long* low;
  unsigned long long* high;
  Real quanta;                  ///< per unit of force; a power of two
  double quantum;               ///< 1/quanta
  unsigned long long* squares;  ///< [TermSquares::kCounters] squares of all terms; null: not wanted
  std::uint32_t* any_high;      ///< set to 1 where a term is added to `high`
  ErrorRecordView errors;

  /// Index of an atom's x component; y and z follow at distances of kTileAtoms.
  static DROPMD_HOST_DEVICE std::size_t slot(std::uint32_t index) {
    return std::size_t{index / kTileAtoms} * (3 * kTileAtoms) + index % kTileAtoms;
  }

  /// Returns the sum for an atom, energy/length.
  DROPMD_HOST_DEVICE Vec3<double> get(std::uint32_t index) const {
    const std::size_t at = slot(index);
    return {get_one(at), get_one(at + kTileAtoms), get_one(at + 2 * kTileAtoms)};
  }

  /// Returns one component, by its index.
  DROPMD_HOST_DEVICE double get_one(std::size_t at) const {
    constexpr double kUnit = static_cast<double>(1ULL << FixedPoint<Real>::kHighShift);
    return (static_cast<double>(static_cast<long long>(high[at])) * kUnit +
            static_cast<double>(static_cast<long long>(low[at]))) *
           quantum;
  }

#if defined(__CUDACC__)
  /// Adds a force on the atom at `index`.
  __device__ void add(std::uint32_t index, const Vec3<Real>& force) const {
    const Vec3<Real> f{force.x * quanta, force.y * quanta, force.z * quanta};
    if (squares != nullptr) note(f);
    if (abs(f.x) + abs(f.y) + abs(f.z) < FixedPoint<Real>::kPlain) {
      unsigned long long* const sum = low + slot(index);
      atomicAdd(sum, to_integer(f.x));
      atomicAdd(sum + kTileAtoms, to_integer(f.y));
      atomicAdd(sum + 2 * kTileAtoms, to_integer(f.z));
    } else {
      add_large(*this, index, f);
    }
  }

  /// Adds a force that is given in whole quanta.
  __device__ void add_quanta(std::uint32_t index, const Vec3<long long>& f) const {
    if (squares != nullptr) note({static_cast<Real>(f.x), static_cast<Real>(f.y), static_cast<Real>(f.z)});
    unsigned long long* const sum = low + slot(index);
    atomicAdd(sum, static_cast<unsigned long long>(f.x));
    atomicAdd(sum + kTileAtoms, static_cast<unsigned long long>(f.y));
    atomicAdd(sum + 2 * kTileAtoms, static_cast<unsigned long long>(f.z));
  }

  /// Counts the square of a term given in quanta; NaN counts as the largest. The counters are integers, so the order
  /// does not matter.
  __device__ void note(const Vec3<Real>& f) const {
    constexpr Real kScale = Real(1) / Real(1ULL << FixedPoint<Real>::kQuantumBits);
    constexpr Real kMost = Real(1ULL << TermSquares::kMostBits), kUnit = Real(1ULL << TermSquares::kUnitBits);
    const Real square = squared_norm(Vec3<Real>{f.x * kScale, f.y * kScale, f.z * kScale});
    const std::uint32_t counter = (blockIdx.x * blockDim.x + threadIdx.x) % TermSquares::kCounters;
    atomicAdd(squares + counter, to_integer((square < kMost ? square : kMost) * kUnit));
  }

  /// Returns a force as `low` alone would hold it; get() returns the same bits after set().
  __device__ Vec3<double> rounded(const Vec3<double>& force) const {
    return {rint(force.x * quanta) * quantum, rint(force.y * quanta) * quantum, rint(force.z * quanta) * quantum};
  }

  /// Returns whether `low` alone can hold the force; false for NaN.
  __device__ bool holds(const Vec3<double>& force) const {
    const double most = 0x1p62 * quantum;
    return abs(force.x) < most && abs(force.y) < most && abs(force.z) < most;
  }

  /// Sets the sum. A force that it cannot hold becomes the nearest one that it can.
  __device__ void set(std::uint32_t index, const Vec3<double>& force) const {
    const std::size_t at = slot(index);
    low[at] = to_integer(force.x * quanta);
    low[at + kTileAtoms] = to_integer(force.y * quanta);
    low[at + 2 * kTileAtoms] = to_integer(force.z * quanta);
    high[at] = high[at + kTileAtoms] = high[at + 2 * kTileAtoms] = 0;
  }

  /// Sets the sum to zero for the next step.
  __device__ void clear(std::uint32_t index) const {
    const std::size_t at = slot(index);
    bool has_high[3];  // read before anything is written, so that the loads overlap
#pragma unroll
    for (int k = 0; k < 3; ++k) has_high[k] = high[at + k * kTileAtoms] != 0;
#pragma unroll
    for (int k = 0; k < 3; ++k) {
      low[at + k * kTileAtoms] = 0;
      if (has_high[k]) high[at + k * kTileAtoms] = 0;
    }
  }

 private:
  static __device__ unsigned long long to_integer(float x) { return static_cast<unsigned long long>(__float2ll_rn(x)); }
  static __device__ unsigned long long to_integer(double x) {
    return static_cast<unsigned long long>(__double2ll_rn(x));
  }

  /// (It takes a copy: the sums are kernel parameters, and compute-sanitizer does not recognise their address as valid
  /// memory when the kernel is in a loop of a graph.)
  static __device__ __noinline__ void add_large(ForceSumsView sums, std::uint32_t index, Vec3<Real> f) {
    if (!(abs(f.x) < FixedPoint<Real>::kLargest && abs(f.y) < FixedPoint<Real>::kLargest &&
          abs(f.z) < FixedPoint<Real>::kLargest)) {
      sums.errors.report(static_cast<std::uint8_t>(ForceFault::not_finite), index);
      return;
    }
    const std::size_t at = slot(index);
    sums.add_split(at, f.x);
    sums.add_split(at + kTileAtoms, f.y);
    sums.add_split(at + 2 * kTileAtoms, f.z);
  }

  __device__ void add_split(std::size_t at, Real x) const {
    constexpr Real kUnit = Real(1ULL << FixedPoint<Real>::kHighShift);
    const Real multiples = trunc(x / kUnit);
    *any_high = 1;
    atomicAdd(high + at, to_integer(multiples));
    // Exact: the digits of the difference are a part of those of x.
    atomicAdd(low + at, to_integer(x - multiples * kUnit));
  }
#endif
};

}  // namespace dropmd
