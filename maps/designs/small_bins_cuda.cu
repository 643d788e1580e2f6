#include <chrono>
#include <type_traits>

#include "device/buffer.cuh"
#include "device/event.cuh"
#include "device/pinned.cuh"
#include "device/timer.cuh"
#include "maps/designs/map_designs.cuh"
#include "maps/designs/small_bins.h"
#include "maps/map_forms.h"

/// Cutoff summation with small bins: C. I. Rodrigues, D. J. Hardy, J. E. Stone, K. Schulten, W. W. Hwu, Proc. 5th Conf.
/// Computing Frontiers, 273 (2008); D. J. Hardy et al., GPU Computing Gems, Emerald Edition, chapter 4 (2011); written
/// for this project from the description.
namespace dropmd {

namespace {

constexpr int kThreads = 128;   // a block of 8 × 8 × 8 points
constexpr int kPoints = 4;      // per thread, two planes apart
constexpr int kBinsAtOnce = 4;  // one per warp
constexpr int kBlockPoints = kThreads * kPoints;

struct alignas(8) BinOffset {
  std::int16_t x, y, z, unused;
};

/// The neighbourhood of a block: all threads read the same words at the same time. Used by one map at a time.
__constant__ BinOffset block_neighbors[SmallBinsPlan::kMostOffsets];

struct BinsView {
  Vec3<double> spacing;
  PointBlocks blocks;
  double edge;
  std::int32_t padding;
  Vec3<std::int32_t> n;
  int n_offsets, capacity;
  const BinAtom* slots;  ///< [n_bins][capacity]
  float nearest2;        ///< d_min²
  std::int64_t first_block;
  float* potential;  ///< [n_blocks][8][8][8]
  unsigned long long* evaluations;
};

/// Position of a thread along an axis: the bin of its block's low corner, and the offset of its point from there.
struct PlaceInBin {
  std::int32_t bin;
  float at, step;

  __device__ PlaceInBin(std::int32_t low, std::int32_t i, double spacing, double edge) {
    const double corner = low * spacing;
    bin = bin_of(corner, edge);
    at = static_cast<float>(corner - bin * edge + i * spacing);
    step = static_cast<float>(spacing);
  }
};

/// Loads the atoms of the next four bins, one per warp, with offsets from the block's own bin.
__device__ void load_bins(const BinsView& view, const Vec3<std::int32_t>& home, int first, BinAtom* atoms) {
  const int warp = threadIdx.x / 32, lane = threadIdx.x % 32, n = first + warp;
  if (n >= view.n_offsets) return;
  const BinOffset o = block_neighbors[n];
  const std::size_t bin =
      (static_cast<std::size_t>(home.z + o.z) * view.n.y + (home.y + o.y)) * view.n.x + (home.x + o.x);
  const auto edge = static_cast<float>(view.edge);
  const int axis = lane % 4;
  const float shift = axis == 0 ? o.x * edge : axis == 1 ? o.y * edge : axis == 2 ? o.z * edge : 0.0F;
  const auto* const from = reinterpret_cast<const float*>(view.slots + bin * view.capacity);
  auto* const to = reinterpret_cast<float*>(atoms + warp * view.capacity);
  for (int word = lane; word < 4 * view.capacity; word += 32) to[word] = from[word] + shift;
}

template <class Form>
__global__ void __launch_bounds__(kThreads) small_bins_kernel(BinsView view, Form form) {
  extern __shared__ BinAtom atoms[];  // [kBinsAtOnce][capacity]
  const std::int64_t number = view.first_block + blockIdx.x;
  const PointBlock block = view.blocks[number];
  const auto thread = static_cast<std::int32_t>(threadIdx.x);
  const PlaceInBin x(block.low.x, thread % 8, view.spacing.x, view.edge);
  const PlaceInBin y(block.low.y, thread / 8 % 8, view.spacing.y, view.edge);
  const PlaceInBin z(block.low.z, thread / 64, view.spacing.z, view.edge);
  const Vec3<std::int32_t> home{view.padding + x.bin, view.padding + y.bin, view.padding + z.bin};
  float sum[kPoints] = {};
  unsigned long long n_met = 0;
  for (int first = 0; first < view.n_offsets; first += kBinsAtOnce) {
    __syncthreads();
    load_bins(view, home, first, atoms);
    __syncthreads();
    const int n_bins = min(kBinsAtOnce, view.n_offsets - first);
    for (int b = 0; b < n_bins; ++b)
      for (int a = 0; a < view.capacity; ++a) {
        const BinAtom atom = atoms[b * view.capacity + a];
        if (atom.charge == 0) break;  // the remaining slots are empty, too
        ++n_met;
        const float dx = x.at - atom.x, dy = y.at - atom.y;
        const float xy2 = lane_fma(dx, dx, dy * dy);
        if (!(xy2 < form.cutoff2)) continue;  // the column passes outside the atom's sphere
#pragma unroll
        for (int m = 0; m < kPoints; ++m) {
          const float dz = z.at + static_cast<float>(2 * m) * z.step - atom.z;
          const float r2 = fmaxf(lane_fma(dz, dz, xy2), view.nearest2);
          const auto d = Distance<float>::from_square(r2);
          const PairTerm<float> term = form.template operator()<false>(d);
          if (r2 < form.cutoff2) sum[m] = lane_fma(atom.charge, term.energy, sum[m]);
        }
      }
  }
#pragma unroll
  for (int m = 0; m < kPoints; ++m) view.potential[number * kBlockPoints + m * kThreads + thread] = sum[m];
  if (thread == 0) atomicAdd(view.evaluations, n_met * kBlockPoints);
}

template <class Form>
class SmallBinsMap final : public DesignMapSum {
 public:
  SmallBinsMap(int device, Cpu cpu, const MapModel& model, const Form& form, std::optional<int> capacity)
      : cpu_(cpu), model_(model), form_(form), capacity_(capacity), stream_(device), copies_(device) {}

  MapValues compute(const MapGrid& grid, MapCharges charges, const MapProgress& progress) override {
    stream_.activate();
    const SmallBinsPlan plan = plan_small_bins(grid, model_.coulomb.at("cutoff"));
    const BinnedCharges binned = fill_bins(plan.bins, charges, capacity_);
    upload(plan, binned);
    launch(grid, plan, binned);
    MapValues values;
    overflow_ = {.capacity = binned.capacity, .n_atoms = binned.overflow_charge.size()};
    if (overflow_.n_atoms > 0) {
      const auto begin = std::chrono::steady_clock::now();
      values = make_map_sum(cpu_, Precision::mixed, model_)->compute(grid, binned.overflow());
      overflow_.host_seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    }
    if (values.potential.empty()) values.potential.assign(grid.n_points(), 0.0);
    copies_.synchronize("copying a potential map to the host");
    stream_.synchronize("computing a potential map in small bins");
    seconds_ = timer_.seconds();
    if (overflow_.n_atoms > 0) {
      overflow_.share = static_cast<double>(overflow_.n_atoms) / static_cast<double>(binned.n_charges);
      // Both began at the same time.
      overflow_.hidden_share = std::min(1.0, seconds_ / overflow_.host_seconds);
    }
    join_blocks(cpu_, plan.blocks, host_->get(), model_.coulomb_constant, values.potential);
    values.near_points = 0;
    values.evaluations += *evaluations_;
    if (progress && !progress(grid.n_points(), grid.n_points())) throw MapStopped{};
    return values;
  }

  double device_seconds() const override { return seconds_; }
  std::optional<MapOverflow> overflow() const override { return overflow_; }

 private:
  void upload(const SmallBinsPlan& plan, const BinnedCharges& binned) {
    std::vector<BinOffset> offsets;
    for (const auto& o : plan.offsets)
      offsets.push_back(
          {static_cast<std::int16_t>(o.x), static_cast<std::int16_t>(o.y), static_cast<std::int16_t>(o.z), 0});
    DROPMD_CUDA(cudaMemcpyToSymbolAsync(block_neighbors, offsets.data(), offsets.size() * sizeof(BinOffset), 0,
                                        cudaMemcpyHostToDevice, stream_.get()),
                "copying the neighbourhood of a block to the device");
    d_slots_.upload(binned.slots);
    const std::size_t n_padded = static_cast<std::size_t>(plan.blocks.n_blocks()) * kBlockPoints;
    d_potential_.resize(n_padded);
    if (!host_ || host_->all().size() < n_padded) host_ = std::make_unique<Pinned<float>>(n_padded);
    d_evaluations_.resize(1);
    d_evaluations_.zero();
    stream_.synchronize("copying bins to the device");
  }

  /// Launches slice by slice: one is copied to the host while the next is computed. Waits for nothing.
  void launch(const MapGrid& grid, const SmallBinsPlan& plan, const BinnedCharges& binned) {
    constexpr std::int64_t kBlocksASlice = 1 << 15;  // 64 MiB of points
    BinsView view{grid.spacing,
                  plan.blocks,
                  plan.bins.edge,
                  plan.padding,
                  plan.bins.n,
                  static_cast<int>(plan.offsets.size()),
                  binned.capacity,
                  d_slots_.data(),
                  static_cast<float>(model_.nearest * model_.nearest),
                  0,
                  d_potential_.data(),
                  d_evaluations_.data()};
    const std::size_t shared = kBinsAtOnce * static_cast<std::size_t>(binned.capacity) * sizeof(BinAtom);
    const std::int64_t n_blocks = plan.blocks.n_blocks();
    timer_.start(stream_);
    for (; view.first_block < n_blocks; view.first_block += kBlocksASlice) {
      const std::int64_t n = std::min(kBlocksASlice, n_blocks - view.first_block);
      small_bins_kernel<<<static_cast<std::uint32_t>(n), kThreads, shared, stream_.get()>>>(view, form_);
      DROPMD_CUDA_LAUNCHED("computing a potential map in small bins");
      computed_.record(stream_);
      computed_.hold(copies_);
      const std::int64_t at = view.first_block * kBlockPoints;
      DROPMD_CUDA(cudaMemcpyAsync(host_->get() + at, d_potential_.data() + at, n * kBlockPoints * sizeof(float),
                                  cudaMemcpyDeviceToHost, copies_.get()),
                  "copying a potential map to the host");
    }
    timer_.stop(stream_);
    d_evaluations_.download(evaluations_.all());
  }

  Cpu cpu_;
  MapModel model_;
  Form form_;
  std::optional<int> capacity_;
  Stream stream_, copies_;
  Event computed_{stream_};
  Timer timer_;
  double seconds_ = 0;
  MapOverflow overflow_;
  DeviceBuffer<BinAtom> d_slots_{stream_};
  DeviceBuffer<float> d_potential_{stream_};
  DeviceBuffer<unsigned long long> d_evaluations_{stream_};
  Pinned<unsigned long long> evaluations_;
  std::unique_ptr<Pinned<float>> host_;
};

}  // namespace

std::unique_ptr<DesignMapSum> make_small_bins_map(int device, Cpu cpu, const MapModel& model,
                                                  std::optional<int> capacity) {
  std::unique_ptr<DesignMapSum> sum;
  with_map_form<float>(model, [&]<class Form, bool kCutoff>(const Form& form, std::bool_constant<kCutoff>) {
    if constexpr (kCutoff) sum = std::make_unique<SmallBinsMap<Form>>(device, cpu, model, form, capacity);
  });
  return sum;
}

}  // namespace dropmd
