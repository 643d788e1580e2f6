#pragma once

#include <algorithm>
#include <cmath>

#include "device/device_info.h"
#include "forces/pair/cuda/all_pairs/tile_forces.cuh"
#include "forces/pair/cuda/all_pairs/tile_kernel.cuh"
#include "forces/pair/with_physics.h"

/// For the files that instantiate TileForces: one a precision, since each holds every pair physics.
namespace dropmd {

namespace tile_forces_detail {

inline constexpr int kThreads = 128;

/// A warp a tile.
template <class Real>
__global__ void fill_tiles_kernel(AtomTilesView<Real> tiles) {
  const std::uint32_t tile = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
  if (tile >= tiles.n_tiles()) return;
  fill_tile(tiles, tile, static_cast<int>(threadIdx.x % 32));
}

/// The scale of the forces: the largest ε/r_min (energy over distance of the contacts of the model), or k_e q² / r² of
/// the largest charge at the distance of contact (one unit of length without van der Waals term) where that is more.
inline double characteristic_force(const PairModel& model, std::span<const double> charge) {
  double largest_charge = 0, force = 0;
  for (const double q : charge) largest_charge = std::max(largest_charge, std::abs(q));
  for (const Contact& contact : model.contacts()) force = std::max(force, contact.energy / contact.distance);
  if (model.coulomb) {
    const double r = model.smallest_r_min().value_or(1.0);
    force = std::max(force, model.coulomb_constant * largest_charge * largest_charge / (r * r));
  }
  return force > 0 && std::isfinite(force) ? force : 1.0;
}

/// The scale of most forces: as above, but for the mean square of the charges and the largest distance of contact. A
/// few ions among neutral atoms do not raise it.
inline double typical_force(const PairModel& model, std::span<const double> charge) {
  double square = 0, force = 0, largest = 0;
  for (const double q : charge) square += q * q / static_cast<double>(charge.size());
  for (const Contact& contact : model.contacts()) {
    force = std::max(force, contact.energy / contact.distance);
    largest = std::max(largest, contact.distance);
  }
  if (largest == 0) largest = 1;
  if (model.coulomb) force = std::max(force, model.coulomb_constant * square / (largest * largest));
  return force > 0 && std::isfinite(force) ? force : 1.0;
}

/// How much coarser the sums of a block are than the sums of all: kBlockQuantumBits below the typical force.
template <class Real>
int block_bits_of(const PairModel& model, std::span<const double> charge) {
  const int coarser = std::ilogb(typical_force(model, charge)) - std::ilogb(characteristic_force(model, charge));
  return std::max(0, FixedPoint<Real>::kQuantumBits - FixedPoint<Real>::kBlockQuantumBits + coarser);
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
    : quantum_(std::ldexp(
          1.0, std::ilogb(tile_forces_detail::characteristic_force(model, charge)) - FixedPoint<Real>::kQuantumBits)),
      block_bits_(tile_forces_detail::block_bits_of<Real>(model, charge)),
      errors_(stream),
      d_sums_(stream) {
  d_sums_.resize(words(static_cast<std::uint32_t>(charge.size())));
  clear({stream});
}

template <class Real>
ForceSumsView<Real> ForceSums<Real>::view() const {
  return {d_sums_.data(), d_sums_.data() + d_sums_.size() / 2, static_cast<Real>(1 / quantum_), quantum_, block_bits_,
          errors_.view()};
}

template <class Real>
void ForceSums<Real>::clear(const Cuda& cuda) const {
  DROPMD_CUDA(cudaMemsetAsync(d_sums_.data(), 0, d_sums_.size() * sizeof(unsigned long long), cuda.get()),
              "clearing forces");
}

template <class Real>
void ForceSums<Real>::copy_from(const Cuda& cuda, const ForceSums& other) const {
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
Vec3<double> ForceSums<Real>::force(std::span<unsigned long long> h_words, std::uint32_t place) const {
  ForceSumsView<Real> host = view();
  host.low = h_words.data();
  host.high = h_words.data() + h_words.size() / 2;
  return host.get(place);
}

template <class Real>
std::vector<Vec3<double>> ForceSums<Real>::download(const Cuda& cuda, std::uint32_t n_atoms) const {
  std::vector<unsigned long long> h_words(d_sums_.size());
  start_download(cuda.stream, h_words);
  cuda.stream.synchronize("reading forces");
  std::vector<Vec3<double>> sum(n_atoms);
  for (std::uint32_t place = 0; place < n_atoms; ++place) sum[place] = force(h_words, place);
  return sum;
}

template <class Real>
std::vector<std::uint32_t> share_forces(std::uint32_t n_atoms, int multiprocessors) {
  using Tuning = TileTuning<Real>;
  const auto resident = static_cast<std::uint32_t>(multiprocessors * Tuning::kBlocksPerSm * Tuning::kWarps);
  return block_shares(RowUnits{rows_of(n_atoms)}.count(), resident, Tuning::kWarps);
}

template <class Real>
std::uint64_t TileForces<Real>::n_units(std::uint32_t n_atoms, int multiprocessors) {
  return std::uint64_t{TileTuning<Real>::kWarps} * share_forces<Real>(n_atoms, multiprocessors).size();
}

template <class Real>
TileForces<Real>::TileForces(const Cuda& cuda, const PairModel& model, std::uint32_t n_atoms)
    : d_units_(cuda.stream), table_(cuda.stream, model) {
  using Tuning = TileTuning<Real>;
  const std::vector<std::uint32_t> shares =
      share_forces<Real>(n_atoms, require_device(cuda.stream.device()).multiprocessors);
  const auto n_blocks = static_cast<std::uint32_t>(shares.size());
  const std::vector<WarpUnits> units = deal_units(RowUnits{rows_of(n_atoms)}, shares, Tuning::kWarps);
  d_units_.upload(units);
  cuda.stream.synchronize("dealing out the pairs");
  with_physics<Real, Limits::none, Limits::separate>(model, [&](const auto& physics) {
    using Physics = std::decay_t<decltype(physics)>;
    const auto view = table_.template view<CoefficientsOf<Physics, Real>>();
    const auto add = [&](auto one_species) {
      add_forces_ = [=, d_units = d_units_.data()](const Cuda& on, const AtomTilesView<Real>& tiles,
                                                   const ForceSumsView<Real>& sums) {
        launch_early(on, tile_forces_kernel<Real, Physics, one_species.value>, {n_blocks, 32 * Tuning::kWarps},
                     "computing all pairs", tiles, view, physics, d_units, sums);
      };
    };
    // Terms with cutoffs have pair lists: only those without are compiled for one species, too.
    if constexpr (Physics::kLimits == Limits::none) {
      if (model.n_species == 1) add(std::true_type{});
    }
    if (!add_forces_) add(std::false_type{});
    energies_ = [=, d_units = d_units_.data()](const Cuda& on, const AtomTilesView<Real>& tiles,
                                               PartialEnergy* d_partial) {
      tile_energies_kernel<Real, Physics>
          <<<n_blocks, 32 * Tuning::kWarps, 0, on.get()>>>(tiles, view, physics, d_units, d_partial);
      DROPMD_CUDA_LAUNCHED("computing the energies of all pairs");
    };
  });
}

}  // namespace dropmd
