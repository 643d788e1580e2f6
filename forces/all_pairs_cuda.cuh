#pragma once

#include <algorithm>
#include <cmath>
#include <cub/device/device_reduce.cuh>
#include <type_traits>
#include <utility>

#include "device/buffer.cuh"
#include "device/device_info.h"
#include "device/timer.cuh"
#include "forces/all_pairs_cuda.h"
#include "forces/all_pairs_kernel.cuh"
#include "forces/pair_table.h"
#include "forces/with_physics.h"

namespace dropmd {

struct AddEnergies {
  DROPMD_HOST_DEVICE PartialEnergy operator()(const PartialEnergy& a, const PartialEnergy& b) const { return a + b; }
};

template <class Real>
class AllPairsCuda final : public PairForces {
 public:
  AllPairsCuda(int device, Cpu cpu, PairModel model, PairAtoms atoms)
      : cpu_(cpu),
        model_(std::move(model)),
        atoms_(atoms),
        positions_(PositionGrid::for_contact_distance(model_.smallest_r_min())),
        multiprocessors_(require_device(device).multiprocessors),
        stream_(device) {
    const auto table = pair_table<Real>(model_);
    d_table_.upload(table);
    stream_.synchronize("copying the pair coefficients");
  }

  PairSums evaluate(std::span<const Vec3<double>> position, std::span<Vec3<double>> force, Want want) override {
    const auto n = static_cast<std::uint32_t>(position.size());
    if (n == 0) return {};
    stream_.activate();
    const CellGrid grid(position, central_anchor(position, positions_.origin_step), positions_.max_edge);
    upload(grid, position);

    const std::uint32_t n_tiles = blocks_of(n, AllPairsTuning::kTile);
    const std::uint32_t i_blocks = blocks_of(n, AllPairsTuning::kThreads * AllPairsTuning::kAtomsPerThread);
    const auto wanted = static_cast<std::uint32_t>(multiprocessors_ * AllPairsTuning::kBlocksPerSm);
    const std::uint32_t tiles_per_split = blocks_of(n_tiles, std::clamp(blocks_of(wanted, i_blocks), 1U, n_tiles));
    const std::uint32_t n_splits = blocks_of(n_tiles, tiles_per_split);
    d_partial_force_.resize(std::size_t{n_splits} * n);
    d_force_.resize(n);
    const bool energies = want == Want::forces_and_energies;
    if (energies || kAlwaysEnergies) d_partial_energy_.resize(std::size_t{n_splits} * n);

    kernel_timer_.start(stream_);
    with_physics<Real>(
        model_, [&](const auto& physics) { launch(physics, energies, dim3(i_blocks, n_splits), n, tiles_per_split); });
    kernel_timer_.stop(stream_);
    join_splits_kernel<<<blocks_of(n, 128), 128, 0, stream_.get()>>>(
        {d_partial_force_.data(), d_order_.data(), n, n_splits, d_force_.data()});
    DROPMD_CUDA_LAUNCHED("adding partial forces");
    d_force_.download(force);
    if (energies) reduce_energies();
    stream_.synchronize("computing all pairs");
    device_seconds_ = kernel_timer_.seconds();
    PairSums total;
    if (energies) total = {0.5 * h_energy_.vdw, 0.5 * h_energy_.coulomb, h_energy_.within / 2, 0};
    total.pairs_examined = std::uint64_t{n} * (n - 1) / 2;
    return total;
  }

  std::optional<double> device_seconds() const override { return device_seconds_; }

 private:
  /// fp64 has one kernel for all cases: it is for checking, and the build stays short.
  static constexpr bool kAlwaysEnergies = std::is_same_v<Real, double>;

  static std::uint32_t blocks_of(std::uint32_t n, std::uint32_t size) { return (n + size - 1) / size; }

  void upload(const CellGrid& grid, std::span<const Vec3<double>> position) {
    local_.assign(grid, positions_, position, atoms_.charge, atoms_.species, cpu_.threads);
    cell_of_.resize(position.size());
    for (std::uint32_t c = 0; c < grid.cells().size(); ++c)
      std::fill(cell_of_.begin() + grid.cells()[c].begin, cell_of_.begin() + grid.cells()[c].end, c);
    d_atom_.upload(local_.atom);
    d_species_.upload(local_.species);
    d_origin_.upload(local_.origin);
    d_fine_.upload(local_.fine);
    d_cell_of_.upload(cell_of_);
    d_cells_.upload(grid.cells());
    d_order_.upload(grid.order());
    // The sources are host memory of this call; the copies end before it returns.
  }

  template <class Physics>
  void launch(const Physics& physics, bool energies, dim3 blocks, std::uint32_t n, std::uint32_t tiles_per_split) {
    const auto run = [&](auto with_energies, auto one_species) {
      const double cutoff = model_.cutoff();
      all_pairs_kernel<Real, Physics, with_energies.value, one_species.value>
          <<<blocks, AllPairsTuning::kThreads, 0, stream_.get()>>>(
              {d_atom_.data(), d_species_.data(), d_cell_of_.data(), d_cells_.data(), d_origin_.data(), d_fine_.data(),
               n, near_cells(positions_, positions_.max_edge)},
              {d_table_.data(), static_cast<std::uint32_t>(model_.n_species),
               static_cast<Real>(model_.coulomb_constant), static_cast<Real>(cutoff * cutoff)},
              physics, tiles_per_split, {d_partial_force_.data(), d_partial_energy_.data()});
      DROPMD_CUDA_LAUNCHED("computing all pairs");
    };
    const bool one = model_.n_species == 1;
    constexpr std::true_type yes;
    constexpr std::false_type no;
    if constexpr (kAlwaysEnergies) {
      run(yes, no);
    } else {
      if (energies) return one ? run(yes, yes) : run(yes, no);
      return one ? run(no, yes) : run(no, no);
    }
  }

  void reduce_energies() {
    const auto n = static_cast<std::int64_t>(d_partial_energy_.size());
    d_energy_.resize(1);
    std::size_t bytes = 0;
    const auto reduce = [&](void* scratch) {
      DROPMD_CUDA(cub::DeviceReduce::Reduce(scratch, bytes, d_partial_energy_.data(), d_energy_.data(), n,
                                            AddEnergies{}, PartialEnergy{0, 0, 0}, stream_.get()),
                  "reducing the energies");
    };
    reduce(nullptr);
    d_scratch_.resize(bytes);
    reduce(d_scratch_.data());
    d_energy_.download({&h_energy_, 1});
  }

  Cpu cpu_;
  PairModel model_;
  PairAtoms atoms_;
  PositionGrid positions_;
  int multiprocessors_;
  LocalAtoms<Real> local_;
  std::vector<std::uint32_t> cell_of_;
  PartialEnergy h_energy_{};

  std::optional<double> device_seconds_;

  Stream stream_;
  Timer kernel_timer_;
  DeviceBuffer<LocalAtom<Real>> d_atom_{stream_};
  DeviceBuffer<std::uint32_t> d_species_{stream_};
  DeviceBuffer<std::uint32_t> d_cell_of_{stream_};
  DeviceBuffer<Cell> d_cells_{stream_};
  DeviceBuffer<Vec3<Real>> d_origin_{stream_};
  DeviceBuffer<Vec3<Real>> d_fine_{stream_};
  DeviceBuffer<std::uint32_t> d_order_{stream_};
  DeviceBuffer<LjCoefficients<Real>> d_table_{stream_};
  DeviceBuffer<Vec3<double>> d_partial_force_{stream_};
  DeviceBuffer<PartialEnergy> d_partial_energy_{stream_};
  DeviceBuffer<Vec3<double>> d_force_{stream_};
  DeviceBuffer<PartialEnergy> d_energy_{stream_};
  DeviceBuffer<char> d_scratch_{stream_};
};

template <class Real>
std::unique_ptr<PairForces> make_all_pairs_cuda(int device, Cpu cpu, const PairModel& model, PairAtoms atoms) {
  return std::make_unique<AllPairsCuda<Real>>(device, cpu, model, atoms);
}

}  // namespace dropmd
