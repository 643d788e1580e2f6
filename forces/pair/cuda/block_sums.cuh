#pragma once

#include <bit>
#include <cstdint>

#include "forces/force_sums.cuh"
#include "forces/pair/cuda/block_word.h"

namespace dropmd {

#if defined(__CUDACC__)

/// Fixed-point sums in shared memory of the forces on the j atoms of a block, which are then added to the global sums:
/// integer sums, in any order. A slot receives at most kTerms terms before it is flushed. 32-bit sums are as fine as
/// the range for kTerms terms of twice the force scale allows: the quantum is 2⁻²⁶ of the scale for 8 terms and 2⁻²⁴
/// for 32. Most terms are smaller than the scale.
template <class Real, std::uint32_t kTerms>
class BlockSums {
  using Word = typename BlockWord<Real>::Type;
  static_assert(std::has_single_bit(kTerms));
  static constexpr int kTermBits = BlockWord<Real>::kRangeBits - std::countr_zero(kTerms);
  static constexpr Real kLargest = Real(1ULL << kTermBits);
  /// The quantum is larger than that of the global sums by this power of two.
  static constexpr int kShift = sizeof(Word) == sizeof(int) ? FixedPoint<Real>::kQuantumBits + 1 - kTermBits : 0;
  static_assert(kShift >= 0);

 public:
  /// words: [slots][3] in shared memory.
  __device__ BlockSums(Word* words, const ForceSumsView<Real>& sums)
      : words_(words), sums_(sums), quanta_(sums.quanta / Real(1ULL << kShift)) {}

  __device__ void clear(std::uint32_t slot) const {
    Word* const word = words_ + 3 * slot;
    word[0] = word[1] = word[2] = 0;
  }

  /// Adds a force. Returns false if it is too large; the caller must then add it to the global sums.
  __device__ bool add(std::uint32_t slot, const Vec3<Real>& force) const {
    const Vec3<Real> f = quanta_ * force;
    if (!(max(abs(f.x), max(abs(f.y), abs(f.z))) < kLargest)) return false;
    Word* const word = words_ + 3 * slot;
    atomicAdd(word, rounded(f.x));
    atomicAdd(word + 1, rounded(f.y));
    atomicAdd(word + 2, rounded(f.z));
    return true;
  }

  /// Adds a slot to the global sums. storage_index_of() returns the storage index of its atom.
  template <class IndexOf>
  __device__ void flush(std::uint32_t slot, const IndexOf& storage_index_of) const {
    const Word* const word = words_ + 3 * slot;
    if ((word[0] | word[1] | word[2]) != 0)
      sums_.add_quanta(storage_index_of(), {widened(word[0]), widened(word[1]), widened(word[2])});
  }

 private:
  static __device__ long long widened(Word word) { return static_cast<long long>(word) * (1LL << kShift); }
  static __device__ int rounded(float x) { return __float2int_rn(x); }
  static __device__ unsigned long long rounded(double x) { return static_cast<unsigned long long>(__double2ll_rn(x)); }

  Word* words_;
  const ForceSumsView<Real>& sums_;
  Real quanta_;
};

#endif

}  // namespace dropmd
