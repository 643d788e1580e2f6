#include "sort/rank/rank_sort_kernel.cuh"

namespace dropmd {
namespace {

/// Integers or reals, with or without the index in the key.
template <class KeyOfValue>
struct RankedValues {
  using Key = KeyOfValue;
  const std::uint32_t* integers;  ///< or null
  const float* reals;             ///< or null
  int* permutation;

  __device__ Key load(int at, int index) const {
    const std::uint32_t value = reals != nullptr ? ordered_bits(reals[at]) : integers[at];
    if constexpr (sizeof(Key) == 8)
      return static_cast<Key>(value) << 32 | static_cast<std::uint32_t>(index);
    else
      return value;
  }
  __device__ static std::uint32_t stage(Key, int index) { return static_cast<std::uint32_t>(index); }
  __device__ void store(std::uint32_t index, int at, int begin) const {
    permutation[at] = begin + static_cast<int>(index);
  }
};

template <DuplicateRule kRule, class Key>
void launch(const Cuda& cuda, RankSortVariant variant, const Segments& segments, const RankedValues<Key>& values,
            ErrorRecordView errors, int max_length) {
  launch_rank_sort<kRule, 32, 128, 1024>(cuda, variant, segments, values, errors, max_length);
}

void rank_values(const Cuda& cuda, RankSortVariant variant, DuplicateRule rule, const Segments& segments,
                 const RankedValues<std::uint32_t>& values, ErrorRecordView errors, int max_length) {
  switch (rule) {
    case DuplicateRule::packed_index:
      return launch<DuplicateRule::packed_index>(
          cuda, variant, segments, RankedValues<std::uint64_t>{values.integers, values.reals, values.permutation},
          errors, max_length);
    case DuplicateRule::upper_triangular:
      return launch<DuplicateRule::upper_triangular>(cuda, variant, segments, values, errors, max_length);
    case DuplicateRule::rank_of_ranks:
      return launch<DuplicateRule::rank_of_ranks>(cuda, variant, segments, values, errors, max_length);
  }
}

}  // namespace

void rank_sort(const Cuda& cuda, RankSortVariant variant, DuplicateRule rule, const Segments& segments,
               const std::uint32_t* d_integers, int* d_permutation, ErrorRecordView errors, int max_length) {
  rank_values(cuda, variant, rule, segments, {d_integers, nullptr, d_permutation}, errors, max_length);
}

void rank_sort(const Cuda& cuda, RankSortVariant variant, DuplicateRule rule, const Segments& segments,
               const float* d_reals, int* d_permutation, ErrorRecordView errors, int max_length) {
  rank_values(cuda, variant, rule, segments, {nullptr, d_reals, d_permutation}, errors, max_length);
}

}  // namespace dropmd
