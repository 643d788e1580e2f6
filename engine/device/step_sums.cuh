#pragma once

#include <thrust/iterator/counting_iterator.h>
#include <algorithm>
#include <cstdint>
#include <cub/device/device_reduce.cuh>

#include "device/buffer.cuh"
#include "device/cub_scratch.h"
#include "device/pinned.cuh"
#include "forces/fields/atom_terms.h"
#include "forces/pair/cuda/all_pairs/tile_forces.cuh"
#include "integrators/motion.h"

namespace dropmd {

/// Everything that is summed over atoms and pairs in a step, in one reduction.
struct StepSums {
  PartialEnergy pairs{0, 0, 0};
  double fields[AtomTerms::kCount] = {};  ///< energies of the terms of one atom
  MotionSums motion;
  Vec3<double> momentum;     ///< Σ m v
  Vec3<double> position;     ///< Σ x
  Vec3<double> mass_moment;  ///< Σ m x
  double mass = 0;
  double largest_f2 = 0;  ///< largest F·F, not a sum

  DROPMD_HOST_DEVICE StepSums& operator+=(const StepSums& o) {
    pairs = pairs + o.pairs;
    for (std::size_t k = 0; k < AtomTerms::kCount; ++k) fields[k] += o.fields[k];
    motion += o.motion;
    momentum += o.momentum;
    position += o.position;
    mass_moment += o.mass_moment;
    mass += o.mass;
    largest_f2 = o.largest_f2 > largest_f2 ? o.largest_f2 : largest_f2;
    return *this;
  }
};

struct AddStepSums {
  DROPMD_HOST_DEVICE StepSums operator()(StepSums a, const StepSums& b) const { return a += b; }
};

/// All partial sums as one list: those of atoms, then those of warps that computed pair energies.
struct SumParts {
  const StepSums* sums;  ///< [n_sums]
  const PartialEnergy* pairs;
  std::uint32_t n_sums;

  DROPMD_HOST_DEVICE StepSums operator()(std::uint32_t i) const {
    if (i < n_sums) return sums[i];
    StepSums sum;
    sum.pairs = pairs[i - n_sums];
    return sum;
  }
};

/// Largest number of partial sums that a persistent kernel writes.
inline constexpr std::uint32_t kMostPersistentSums = 2048;

/// CUB's reduction, whose order of additions is fixed for a device model and a number of partial sums.
class StepReduction {
 public:
  /// Has memory for one partial sum for each tile, and for at least kMostPersistentSums.
  StepReduction(const Stream& stream, std::uint32_t n_tiles, std::uint32_t n_partial_energies)
      : d_sums_(stream), d_pairs_(stream), d_total_(stream), d_scratch_(stream) {
    d_sums_.resize(std::max(n_tiles, kMostPersistentSums));
    d_total_.resize(1);
    make_room({stream}, n_partial_energies);
  }

  /// Makes room for another number of partial energies; all addresses change.
  void make_room(const Cuda& cuda, std::uint32_t n_partial_energies) {
    d_pairs_.resize(n_partial_energies);
    std::size_t bytes = 0;
    reduce(cuda, nullptr, bytes, static_cast<std::uint32_t>(d_sums_.size()), n_partial_energies);
    d_scratch_.resize(bytes);
  }

  /// Device memory in bytes, besides kFixedBytes.
  static std::uint64_t bytes(std::uint64_t n_tiles, std::uint64_t n_partial_energies) {
    return sizeof(StepSums) * n_tiles + sizeof(PartialEnergy) * n_partial_energies;
  }
  /// Device memory for any number of atoms: the sums of a persistent kernel, the total, and a bound on CUB's scratch.
  static constexpr std::uint64_t kFixedBytes =
      sizeof(StepSums) * (kMostPersistentSums + 1) + reduce_scratch_bytes(sizeof(StepSums));

  StepSums* sums() const { return d_sums_.data(); }
  PartialEnergy* pair_energies() const { return d_pairs_.data(); }
  StepSums* total() const { return d_total_.data(); }

  /// Reduces the first n_sums sums over atoms and n_pair_energies energies of pairs into total().
  void run(const Cuda& cuda, std::uint32_t n_sums, std::uint32_t n_pair_energies) const {
    std::size_t bytes = d_scratch_.size();
    reduce(cuda, d_scratch_.data(), bytes, n_sums, n_pair_energies);
  }

  /// Starts a copy of the total to the host, in stream order.
  void start_reading() const { d_total_.store(h_total_); }
  /// The total of the last start_reading(), after a wait.
  const StepSums& what_was_read() const { return *h_total_; }

 private:
  void reduce(const Cuda& cuda, void* scratch, std::size_t& bytes, std::uint32_t n_sums,
              std::uint32_t n_pair_energies) const {
    DROPMD_CUDA(
        cub::DeviceReduce::TransformReduce(scratch, bytes, thrust::counting_iterator<std::uint32_t>(0), d_total_.data(),
                                           n_sums + n_pair_energies, AddStepSums{},
                                           SumParts{d_sums_.data(), d_pairs_.data(), n_sums}, StepSums{}, cuda.get()),
        "reducing the sums of a step");
  }

  DeviceBuffer<StepSums> d_sums_;
  DeviceBuffer<PartialEnergy> d_pairs_;
  DeviceBuffer<StepSums> d_total_;
  Pinned<StepSums> h_total_;
  DeviceBuffer<unsigned char> d_scratch_;
};

}  // namespace dropmd
