#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/transform_iterator.h>

#include <cub/device/device_segmented_radix_sort.cuh>
#include <cub/device/device_segmented_sort.cuh>

#include "device/buffer.cuh"
#include "sort/compared/compared_sorts.cuh"

namespace dropmd {
namespace {

struct SegmentBegin {
  Segments segments;
  DROPMD_HOST_DEVICE int operator()(int s) const { return segments[s].begin; }
};
struct SegmentEnd {
  Segments segments;
  DROPMD_HOST_DEVICE int operator()(int s) const { return segments[s].end; }
};

/// The call of either algorithm; with a null `storage` it only returns how many bytes it needs.
struct SegmentedSort {
  static constexpr const char* kName = "cub-segmented-sort";
  static constexpr bool kCapturable = false;

  static cudaError_t run(void* storage, std::size_t& bytes, const Segments& segments, const PackedWord* d_in,
                         PackedWord* d_out, cudaStream_t stream) {
    const thrust::counting_iterator<int> index(0);
    return cub::DeviceSegmentedSort::SortKeys(storage, bytes, d_in, d_out, segments.n_keys, segments.count,
                                              thrust::make_transform_iterator(index, SegmentBegin{segments}),
                                              thrust::make_transform_iterator(index, SegmentEnd{segments}), stream);
  }
};

struct SegmentedRadixSort {
  static constexpr const char* kName = "cub-segmented-radix-sort";
  static constexpr bool kCapturable = true;

  static cudaError_t run(void* storage, std::size_t& bytes, const Segments& segments, const PackedWord* d_in,
                         PackedWord* d_out, cudaStream_t stream) {
    const thrust::counting_iterator<int> index(0);
    return cub::DeviceSegmentedRadixSort::SortKeys(storage, bytes, d_in, d_out, segments.n_keys, segments.count,
                                                   thrust::make_transform_iterator(index, SegmentBegin{segments}),
                                                   thrust::make_transform_iterator(index, SegmentEnd{segments}), 0, 32,
                                                   stream);
  }
};

template <class Algorithm>
class CubDeviceSort : public SortMethod {
 public:
  CubDeviceSort(const Cuda& cuda, const SortLimits& limits) : limits_(limits), d_storage_(cuda.stream) {
    std::size_t bytes = 0;
    const Segments largest{nullptr, limits.max_segments, limits.max_keys, 1};
    DROPMD_CUDA(Algorithm::run(nullptr, bytes, largest, nullptr, nullptr, cuda.get()), "asking CUB for its storage");
    d_storage_.resize(bytes > 0 ? bytes : 1);
  }

  std::string name() const override { return Algorithm::kName; }
  bool takes(const Segments& segments, int) const override {
    return segments.count <= limits_.max_segments && segments.n_keys <= limits_.max_keys;
  }
  bool capturable() const override { return Algorithm::kCapturable; }

  void run(const Cuda& cuda, const Segments& segments, const PackedWord* d_in, PackedWord* d_out) override {
    if (segments.count <= 0 || segments.n_keys <= 0) return;
    std::size_t bytes = d_storage_.size();
    DROPMD_CUDA(Algorithm::run(d_storage_.data(), bytes, segments, d_in, d_out, cuda.get()), "sorting with CUB");
  }

 private:
  SortLimits limits_;
  DeviceBuffer<std::uint8_t> d_storage_;
};

}  // namespace

std::unique_ptr<SortMethod> make_cub_segmented_sort(const Cuda& cuda, const SortLimits& limits) {
  return std::make_unique<CubDeviceSort<SegmentedSort>>(cuda, limits);
}

std::unique_ptr<SortMethod> make_cub_segmented_radix_sort(const Cuda& cuda, const SortLimits& limits) {
  return std::make_unique<CubDeviceSort<SegmentedRadixSort>>(cuda, limits);
}

}  // namespace dropmd
