#include <type_traits>

#include "device/timer.cuh"
#include "maps/designs/large_bins.h"
#include "maps/designs/map_designs.cuh"
#include "maps/float_map.cuh"
#include "maps/map_forms.h"

/// Cutoff summation with large bins, the first of the designs in the University of Illinois' lecture on cutoff
/// summation (docs/maps.md): a direct summation for each region of points over the atoms near it; written for this
/// project from the description.
namespace dropmd {

namespace {

/// 64,000 bytes of the 64 KiB; used by one map at a time.
constexpr std::size_t kChunk = 4000;
__constant__ BinAtom region_chunk[kChunk];

constexpr std::int32_t kBlockX = 16, kBlockY = 8;  ///< threads
constexpr int kPoints = 4;                         ///< per thread, along z

struct RegionView {
  Vec3<double> first, spacing;  ///< first point of the region, relative to its middle
  PointBlock region;
  Vec3<std::int32_t> points;  ///< of the grid
  float nearest2;             ///< d_min²
  float* potential;           ///< [n_points], which the kernel adds to

  DROPMD_HOST_DEVICE PointBlocks blocks() const {
    const Vec3<std::int32_t> n{region.high.x - region.low.x, region.high.y - region.low.y,
                               region.high.z - region.low.z};
    return {n, {kBlockX, kBlockY, kPoints}};
  }
};

template <class Form>
__global__ void __launch_bounds__(kBlockX* kBlockY) large_bins_kernel(RegionView view, Form form, int n_atoms) {
  const PointBlocks blocks = view.blocks();
  const Vec3<std::int32_t> low = blocks[blockIdx.x].low;
  const std::int32_t i = low.x + static_cast<std::int32_t>(threadIdx.x),
                     j = low.y + static_cast<std::int32_t>(threadIdx.y);
  const auto x = static_cast<float>(view.first.x + i * view.spacing.x),
             y = static_cast<float>(view.first.y + j * view.spacing.y);
  float z[kPoints], sum[kPoints] = {};
#pragma unroll
  for (int m = 0; m < kPoints; ++m) z[m] = static_cast<float>(view.first.z + (low.z + m) * view.spacing.z);
  for (int a = 0; a < n_atoms; ++a) {
    const BinAtom atom = region_chunk[a];
    const float dx = x - atom.x, dy = y - atom.y;
    const float xy2 = lane_fma(dx, dx, dy * dy);
#pragma unroll
    for (int m = 0; m < kPoints; ++m) {
      const float dz = z[m] - atom.z;
      const float r2 = fmaxf(lane_fma(dz, dz, xy2), view.nearest2);
      const auto d = Distance<float>::from_square(r2);
      const PairTerm<float> term = form.template operator()<false>(d);
      if (r2 < form.cutoff2) sum[m] = lane_fma(atom.charge, term.energy, sum[m]);
    }
  }
  if (i >= blocks.points.x || j >= blocks.points.y) return;
#pragma unroll
  for (int m = 0; m < kPoints; ++m) {
    if (low.z + m >= blocks.points.z) break;
    const std::size_t row =
        static_cast<std::size_t>(view.region.low.z + low.z + m) * view.points.y + (view.region.low.y + j);
    view.potential[row * view.points.x + (view.region.low.x + i)] += sum[m];
  }
}

template <class Form>
class LargeBinsMap final : public DesignMapSum {
 public:
  LargeBinsMap(int device, const MapModel& model, const Form& form) : model_(model), form_(form), stream_(device) {}

  MapValues compute(const MapGrid& grid, MapCharges charges, const MapProgress& progress) override {
    stream_.activate();
    const SortedCharges sorted({}, charges, kLargeBinEdge / 4);
    const PointBlocks regions = large_bin_regions(grid);
    float* const potential = map_.clear(grid.n_points());
    MapValues values;
    timer_.start(stream_);
    for (std::int64_t r = 0; r < regions.n_blocks(); ++r)
      values.evaluations += add(grid, regions[r], sorted, potential);
    timer_.stop(stream_);
    values.potential = map_.fetch(model_.coulomb_constant);
    seconds_ = timer_.seconds();
    if (progress && !progress(grid.n_points(), grid.n_points())) throw MapStopped{};
    return values;
  }

  double device_seconds() const override { return seconds_; }

 private:
  /// Launches the summation for a region. Returns the number of its pairs, including those of idle threads.
  std::uint64_t add(const MapGrid& grid, const PointBlock& region, const SortedCharges& sorted, float* potential) {
    const SpaceBox box{grid.at(region.low.x, region.low.y, region.low.z),
                       grid.at(region.high.x - 1, region.high.y - 1, region.high.z - 1)};
    const std::vector<BinAtom> atoms = region_charges(sorted, box, model_.coulomb.at("cutoff"));
    const RegionView view{-0.5 * (box.high - box.low),
                          grid.spacing,
                          region,
                          grid.points,
                          static_cast<float>(model_.nearest * model_.nearest),
                          potential};
    const auto n_blocks = static_cast<std::uint32_t>(view.blocks().n_blocks());
    for (std::size_t first = 0; first < atoms.size(); first += kChunk) {
      const std::size_t n = std::min(kChunk, atoms.size() - first);
      DROPMD_CUDA(cudaMemcpyToSymbolAsync(region_chunk, atoms.data() + first, n * sizeof(BinAtom), 0,
                                          cudaMemcpyHostToDevice, stream_.get()),
                  "copying charges to constant memory");
      large_bins_kernel<<<n_blocks, dim3(kBlockX, kBlockY), 0, stream_.get()>>>(view, form_, static_cast<int>(n));
      DROPMD_CUDA_LAUNCHED("computing a potential map in large bins");
    }
    return std::uint64_t{atoms.size()} * n_blocks * kBlockX * kBlockY * kPoints;
  }

  MapModel model_;
  Form form_;
  Stream stream_;
  FloatMap map_{stream_};
  Timer timer_;
  double seconds_ = 0;
};

}  // namespace

std::unique_ptr<DesignMapSum> make_large_bins_map(int device, const MapModel& model) {
  std::unique_ptr<DesignMapSum> sum;
  with_map_form<float>(model, [&]<class Form, bool kCutoff>(const Form& form, std::bool_constant<kCutoff>) {
    if constexpr (kCutoff) sum = std::make_unique<LargeBinsMap<Form>>(device, model, form);
  });
  return sum;
}

}  // namespace dropmd
