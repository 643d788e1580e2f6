#pragma once

#include <cmath>

#include "device/device_info.h"
#include "forces/pair/cuda/all_pairs/tile_forces.cuh"
#include "forces/pair/cuda/all_pairs/tile_kernel.cuh"
#include "forces/pair/with_physics.h"

/// For the files that instantiate TileForces: one per precision, since each holds every pair physics.
namespace dropmd {

namespace tile_forces_detail {

inline constexpr int kThreads = 128;

/// Fills the tiles, one warp per tile.
template <class Real>
__global__ void fill_tiles_kernel(AtomTilesView<Real> tiles) {
  const std::uint32_t tile = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
  if (tile >= tiles.n_tiles()) return;
  fill_tile(tiles, tile, static_cast<int>(threadIdx.x % 32));
}

template <class Real>
__global__ void note_sums_kernel(ForceSumsView<Real> sums, std::uint32_t n_atoms) {
  const std::uint32_t index = blockIdx.x * blockDim.x + threadIdx.x;
  if (index >= n_atoms) return;
  const Vec3<double> quanta = (1 / sums.quantum) * sums.get(index);
  sums.note({static_cast<Real>(quanta.x), static_cast<Real>(quanta.y), static_cast<Real>(quanta.z)});
}

}  // namespace tile_forces_detail

template <class Real>
void fill_tiles(const Cuda& cuda, const AtomTilesView<Real>& tiles) {
  using namespace tile_forces_detail;
  fill_tiles_kernel<<<(tiles.n_tiles() * 32 + kThreads - 1) / kThreads, kThreads, 0, cuda.get()>>>(tiles);
  DROPMD_CUDA_LAUNCHED("filling tiles of atoms");
}

template <class Real>
ForceSums<Real>::ForceSums(const Stream& stream, const PairModel& model, std::span<const double> charge)
    : n_atoms_(static_cast<std::uint32_t>(charge.size())),
      scales_(ForceScaleRange::of(model, charge)),
      scale_(scales_.coarsest),
      errors_(stream),
      d_sums_(stream),
      d_squares_(stream),
      d_any_high_(stream) {
  d_any_high_.resize(1);
  d_any_high_.zero();
  d_sums_.resize(words(n_atoms_));
  d_squares_.resize(TermSquares::kCounters);
  clear({stream});
}

template <class Real>
ForceSumsView<Real> ForceSums<Real>::view() const {
  const double quantum = std::ldexp(1.0, scale_ - FixedPoint<Real>::kQuantumBits);
  return {d_sums_.data(),
          d_sums_.data() + d_sums_.size() / 2,
          static_cast<Real>(1 / quantum),
          quantum,
          nullptr,
          d_any_high_.data(),
          errors_.view()};
}

template <class Real>
void ForceSums<Real>::note_sums(const Cuda& cuda, const ForceSumsView<Real>& sums) const {
  using namespace tile_forces_detail;
  note_sums_kernel<<<(n_atoms_ + kThreads - 1) / kThreads, kThreads, 0, cuda.get()>>>(sums, n_atoms_);
  DROPMD_CUDA_LAUNCHED("measuring forces");
}

template <class Real>
double ForceSums<Real>::mean_square(const Cuda& cuda) const {
  cuda.stream.synchronize("measuring forces");  // copies of other runs would wait for a copy that waits
  std::vector<unsigned long long> squares(d_squares_.size());
  d_squares_.download(squares);
  cuda.stream.synchronize("measuring forces");
  double sum = 0;
  for (const unsigned long long square : squares)
    sum += std::ldexp(static_cast<double>(square), -TermSquares::kUnitBits);
  return sum / n_atoms_;
}

template <class Real>
void ForceSums<Real>::clear(const Cuda& cuda) const {
  DROPMD_CUDA(cudaMemsetAsync(d_sums_.data(), 0, d_sums_.size() * sizeof(unsigned long long), cuda.get()),
              "clearing forces");
}

template <class Real>
void ForceSums<Real>::copy_from(const Cuda& cuda, const ForceSums& other) {
  scale_ = other.scale_;
  DROPMD_CUDA(cudaMemcpyAsync(d_sums_.data(), other.d_sums_.data(), d_sums_.size() * sizeof(unsigned long long),
                              cudaMemcpyDeviceToDevice, cuda.get()),
              "copying forces on the device");
}

template <class Real>
void ForceSums<Real>::start_download(const Stream& on, std::span<unsigned long long> h_words) const {
  DROPMD_CUDA(cudaMemcpyAsync(h_words.data(), d_sums_.data(), h_words.size_bytes(), cudaMemcpyDeviceToHost, on.get()),
              "copying forces from the device");
}

template <class Real>
Vec3<double> ForceSums<Real>::force(std::span<unsigned long long> h_words, std::uint32_t index) const {
  ForceSumsView<Real> host = view();
  host.low = h_words.data();
  host.high = h_words.data() + h_words.size() / 2;
  return host.get(index);
}

template <class Real>
std::vector<Vec3<double>> ForceSums<Real>::download(const Cuda& cuda, std::uint32_t n_atoms) const {
  std::vector<unsigned long long> h_words(d_sums_.size());
  start_download(cuda.stream, h_words);
  cuda.stream.synchronize("reading forces");
  std::vector<Vec3<double>> sum(n_atoms);
  for (std::uint32_t index = 0; index < n_atoms; ++index) sum[index] = force(h_words, index);
  return sum;
}

template <class Real>
std::vector<std::uint32_t> force_items_per_warp(std::uint32_t n_atoms, int multiprocessors) {
  using Tuning = TileTuning<Real>;
  const auto resident_warps = static_cast<std::uint32_t>(multiprocessors * Tuning::kBlocksPerSm * Tuning::kWarps);
  return items_per_warp(ITileItems{i_tiles_of(n_atoms)}.count(), resident_warps, Tuning::kWarps);
}

template <class Real>
std::uint64_t TileForces<Real>::n_items(std::uint32_t n_atoms, int multiprocessors) {
  return std::uint64_t{TileTuning<Real>::kWarps} * force_items_per_warp<Real>(n_atoms, multiprocessors).size();
}

template <class Real>
TileForces<Real>::TileForces(const Cuda& cuda, const PairModel& model, std::uint32_t n_atoms, WorkShare share)
    : d_items_(cuda.stream), table_(cuda.stream, model), excluded_tiles_(cuda.stream) {
  using Tuning = TileTuning<Real>;
  const std::vector<std::uint32_t> per_warp =
      force_items_per_warp<Real>(n_atoms, require_device(cuda.stream.device()).multiprocessors);
  const auto n_blocks = static_cast<std::uint32_t>(per_warp.size());
  const std::vector<WarpItems> items = deal_items(ITileItems{i_tiles_of(n_atoms)}, per_warp, Tuning::kWarps);
  d_items_.upload(items);
  cuda.stream.synchronize("dealing out the pairs");
  with_untruncated_physics<Real>(model, [&](const auto& physics) {
    using Physics = std::decay_t<decltype(physics)>;
    const auto view = table_.template view<CoefficientsOf<Physics, Real>>();
    const auto compile = [&](auto one_species, auto exclusions) {
      return [=, d_items = d_items_.data()](const Cuda& on, const AtomTilesView<Real>& tiles,
                                            const ExcludedTilesView& excluded, const ForceSumsView<Real>& sums) {
        launch_early(on, tile_forces_kernel<Real, Physics, one_species.value, exclusions.value>,
                     {share.turns(n_blocks), 32 * Tuning::kWarps}, "computing all pairs", tiles, view, physics,
                     excluded, d_items, share, sums);
      };
    };
    // Terms with a cutoff use pair lists: only untruncated physics is also compiled for one species.
    if constexpr (Physics::kLimits == Limits::none) {
      if (model.n_species == 1) add_forces_ = compile(std::true_type{}, std::false_type{});
    }
    if (!add_forces_) add_forces_ = compile(std::false_type{}, std::false_type{});
    add_forces_with_exclusions_ = compile(std::false_type{}, std::true_type{});
    energies_ = [=, d_items = d_items_.data()](const Cuda& on, const AtomTilesView<Real>& tiles,
                                               const ExcludedTilesView& excluded, PartialEnergy* d_partial) {
      tile_energies_kernel<Real, Physics>
          <<<n_blocks, 32 * Tuning::kWarps, 0, on.get()>>>(tiles, view, physics, excluded, d_items, share, d_partial);
      DROPMD_CUDA_LAUNCHED("computing the energies of all pairs");
    };
  });
}

}  // namespace dropmd
