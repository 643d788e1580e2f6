#include "sort/rank/rank_sort_kernel.cuh"

namespace dropmd {
namespace {

struct RankedWords {
  using Key = PackedWord;
  WordSort arrays;

  __device__ Key load(int at, int) const { return arrays.words[at]; }
  __device__ static std::uint32_t stage(Key word, int) { return word; }
  __device__ void store(std::uint32_t word, int at, int begin) const {
    if (arrays.sorted != nullptr) arrays.sorted[at] = word;
    if (arrays.permutation != nullptr) arrays.permutation[at] = begin + static_cast<int>(index_of(word));
  }
};

}  // namespace

void rank_sort(const Cuda& cuda, RankSortVariant variant, const Segments& segments, const WordSort& arrays,
               ErrorRecordView errors, int max_length) {
  launch_rank_sort<DuplicateRule::packed_index, 8, 16, 32, 64, 128, 256, 512, 1024>(
      cuda, variant, segments, RankedWords{arrays}, errors, max_length);
}

}  // namespace dropmd
