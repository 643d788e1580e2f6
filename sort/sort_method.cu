#include "sort/sort_method.cuh"

#include <utility>

#include "sort/compared/compared_sorts.cuh"
#include "sort/rank/rank_sort.cuh"
#include "sort/rank/rank_sort_team.cuh"

namespace dropmd {
namespace {

/// The segments that a method for short segments supports.
bool within(const SortLimits& limits, const Segments& segments, int longest, int longest_possible) {
  return segments.count <= limits.max_segments && segments.n_keys <= limits.max_keys && longest <= limits.max_length &&
         longest <= longest_possible;
}

int register_length(const SortLimits& limits) {
  return limits.max_length < kMaxRegisterLength ? limits.max_length : kMaxRegisterLength;
}

class ProductionSort : public SortMethod {
 public:
  ProductionSort(const Cuda& cuda, const SortLimits& limits) : workspace_(cuda, limits) {}

  std::string name() const override { return "dropmd"; }
  bool takes(const Segments& segments, int longest) const override {
    return within(workspace_.limits(), segments, longest, longest);
  }
  void run(const Cuda& cuda, const Segments& segments, const PackedWord* d_in, PackedWord* d_out) override {
    sort_segments(cuda, segments, WordSort{d_in, d_out, nullptr}, workspace_);
  }

 private:
  SortWorkspace workspace_;
};

__global__ void fill_offsets_kernel(int count, int length, int* offsets) {
  const int s = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (s <= count) offsets[s] = s * length;
}

/// Gives uniform segments by offsets, too, like a caller who does not know that they are uniform. The first run of a
/// shape writes the offsets, so it must be executed, not only captured.
class OffsetsSort : public SortMethod {
 public:
  OffsetsSort(const Cuda& cuda, const SortLimits& limits) : workspace_(cuda, limits), d_offsets_(cuda.stream) {
    d_offsets_.resize(static_cast<std::size_t>(limits.max_segments) + 1);
  }

  std::string name() const override { return "dropmd-offsets"; }
  bool takes(const Segments& segments, int longest) const override {
    return within(workspace_.limits(), segments, longest, longest);
  }
  void run(const Cuda& cuda, const Segments& segments, const PackedWord* d_in, PackedWord* d_out) override {
    const WordSort arrays{d_in, d_out, nullptr};
    if (segments.offsets != nullptr) return sort_segments(cuda, segments, arrays, workspace_);
    if (segments.count != count_ || segments.length != length_) {
      constexpr int kThreads = 256;
      count_ = segments.count;
      length_ = segments.length;
      fill_offsets_kernel<<<count_ / kThreads + 1, kThreads, 0, cuda.get()>>>(count_, length_, d_offsets_.data());
      DROPMD_CUDA_LAUNCHED("writing offsets");
    }
    sort_segments(cuda, Segments::ragged(d_offsets_.data(), count_, segments.n_keys), arrays, workspace_);
  }

 private:
  SortWorkspace workspace_;
  DeviceBuffer<int> d_offsets_;
  int count_ = -1;
  int length_ = -1;
};

class RankSortMethod : public SortMethod {
 public:
  RankSortMethod(const Cuda& cuda, const SortLimits& limits, std::string name, RankSortVariant variant)
      : limits_(limits), name_(std::move(name)), variant_(variant), errors_(cuda.stream) {}

  std::string name() const override { return name_; }
  bool takes(const Segments& segments, int longest) const override {
    return within(limits_, segments, longest, kMaxRegisterLength);
  }
  void run(const Cuda& cuda, const Segments& segments, const PackedWord* d_in, PackedWord* d_out) override {
    rank_sort(cuda, variant_, segments, WordSort{d_in, d_out, nullptr}, errors_.view(), limits_.max_length);
  }

 private:
  SortLimits limits_;
  std::string name_;
  RankSortVariant variant_;
  ErrorRecord errors_;
};

class KernelMethod : public SortMethod {
 public:
  KernelMethod(const SortLimits& limits, std::string name, KernelSort sort)
      : limits_(limits), name_(std::move(name)), sort_(sort) {}

  std::string name() const override { return name_; }
  bool takes(const Segments& segments, int longest) const override {
    return within(limits_, segments, longest, kMaxRegisterLength);
  }
  void run(const Cuda& cuda, const Segments& segments, const PackedWord* d_in, PackedWord* d_out) override {
    sort_(cuda, segments, longest_of(segments, register_length(limits_)), d_in, d_out);
  }

 private:
  SortLimits limits_;
  std::string name_;
  KernelSort sort_;
};

class CopyMethod : public SortMethod {
 public:
  std::string name() const override { return "copy"; }
  bool takes(const Segments&, int) const override { return true; }
  bool sorts() const override { return false; }
  void run(const Cuda& cuda, const Segments& segments, const PackedWord* d_in, PackedWord* d_out) override {
    if (segments.n_keys <= 0) return;
    const std::size_t bytes = static_cast<std::size_t>(segments.n_keys) * sizeof(PackedWord);
    DROPMD_CUDA(cudaMemcpyAsync(d_out, d_in, bytes, cudaMemcpyDeviceToDevice, cuda.get()), "copying the keys");
  }
};

}  // namespace

std::vector<std::unique_ptr<SortMethod>> sort_methods(const Cuda& cuda, const SortLimits& limits) {
  std::vector<std::unique_ptr<SortMethod>> methods;
  const auto add_rank_sort = [&](const char* name, RankSortVariant variant) {
    methods.push_back(std::make_unique<RankSortMethod>(cuda, limits, name, variant));
  };
  const auto add_kernel = [&](const char* name, KernelSort sort) {
    methods.push_back(std::make_unique<KernelMethod>(limits, name, sort));
  };
  methods.push_back(std::make_unique<ProductionSort>(cuda, limits));
  methods.push_back(std::make_unique<OffsetsSort>(cuda, limits));
  add_rank_sort("rank-1", RankSortVariant::one);
  add_rank_sort("rank-n", RankSortVariant::n);
  add_rank_sort("rank-lg-n", RankSortVariant::lg_n);
  methods.push_back(make_cub_segmented_sort(cuda, limits));
  methods.push_back(make_cub_segmented_radix_sort(cuda, limits));
  add_kernel("cub-warp-merge-sort", sort_cub_warp_merge);
  add_kernel("cub-block-radix-sort", sort_cub_block_radix);
  add_kernel("bitonic", sort_bitonic);
  add_kernel("odd-even-merge", sort_odd_even_merge);
  add_kernel("register-bitonic", sort_register_bitonic);
  methods.push_back(std::make_unique<CopyMethod>());
  return methods;
}

}  // namespace dropmd
