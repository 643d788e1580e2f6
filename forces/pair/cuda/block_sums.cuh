#pragma once

#include <bit>
#include <cstdint>

#include "forces/force_sums.cuh"
#include "forces/pair/cuda/block_word.h"

namespace dropmd {

#if defined(__CUDACC__)

/// Forces on the atoms that a block meets, summed in shared memory in fixed point before they join the others: sums of
/// integers, in any order. A slot gets kTerms terms at most before it is flushed. 32-bit sums are as fine as leaves
/// room for kTerms terms of twice the scale of the forces: quanta of 2⁻²⁶ of it with 8 terms, of 2⁻²⁴ with 32. Most
/// terms are smaller.
template <class Real, std::uint32_t kTerms>
class BlockSums {
  using Word = typename BlockWord<Real>::Type;
  static_assert(std::has_single_bit(kTerms));
  static constexpr int kTermBits = BlockWord<Real>::kRangeBits - std::countr_zero(kTerms);
  static constexpr Real kLargest = Real(1ULL << kTermBits);
  /// Quanta are larger than those of the sums of all by this power of two.
  static constexpr int kShift = sizeof(Word) == sizeof(int) ? FixedPoint<Real>::kQuantumBits + 1 - kTermBits : 0;
  static_assert(kShift >= 0);

 public:
  /// words: [slots][3] in shared memory
  __device__ BlockSums(Word* words, const ForceSumsView<Real>& sums)
      : words_(words), sums_(sums), quanta_(sums.quanta / Real(1ULL << kShift)) {}

  __device__ void clear(std::uint32_t slot) const {
    Word* const word = words_ + 3 * slot;
    word[0] = word[1] = word[2] = 0;
  }

  /// Adds a force; false if it is too large, which belongs to the sums of all, at once.
  __device__ bool add(std::uint32_t slot, const Vec3<Real>& force) const {
    const Vec3<Real> f = quanta_ * force;
    if (!(max(abs(f.x), max(abs(f.y), abs(f.z))) < kLargest)) return false;
    Word* const word = words_ + 3 * slot;
    atomicAdd(word, rounded(f.x));
    atomicAdd(word + 1, rounded(f.y));
    atomicAdd(word + 2, rounded(f.z));
    return true;
  }

  /// From shared memory to the sums of all. storage_index_of(): of the atom.
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
