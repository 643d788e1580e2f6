#pragma once

#include <thrust/iterator/counting_iterator.h>
#include <cstdint>
#include <cub/device/device_reduce.cuh>

#include "device/buffer.cuh"
#include "forces/tile_forces.cuh"
#include "integrators/motion.h"

namespace dropmd {

/// Everything that is summed over atoms and pairs in a step, in one reduction.
struct StepSums {
  PartialEnergy pairs{0, 0, 0};
  double wall = 0;
  MotionSums motion;
  Vec3<double> momentum;     ///< Σ m v
  Vec3<double> position;     ///< Σ x
  Vec3<double> mass_moment;  ///< Σ m x
  double mass = 0;
  double largest_f2 = 0;  ///< largest F·F, not a sum

  DROPMD_HOST_DEVICE StepSums& operator+=(const StepSums& o) {
    pairs = pairs + o.pairs;
    wall += o.wall;
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

/// The parts as one list: those of tiles, then those of warps that computed pair energies.
struct SumParts {
  const StepSums* tile;  ///< [n_tiles]
  const PartialEnergy* pairs;
  std::uint32_t n_tiles;

  DROPMD_HOST_DEVICE StepSums operator()(std::uint32_t i) const {
    if (i < n_tiles) return tile[i];
    StepSums sums;
    sums.pairs = pairs[i - n_tiles];
    return sums;
  }
};

/// CUB's reduction, whose order of additions is fixed for a device model and a number of parts.
class StepReduction {
 public:
  StepReduction(const Stream& stream, std::uint32_t n_tiles, std::uint32_t n_partial_energies)
      : n_tiles_(n_tiles),
        n_partial_energies_(n_partial_energies),
        d_tile_(stream),
        d_pairs_(stream),
        d_total_(stream),
        d_scratch_(stream) {
    d_tile_.resize(n_tiles);
    d_pairs_.resize(n_partial_energies);
    d_total_.resize(1);
    std::size_t bytes = 0;
    reduce({stream}, nullptr, bytes, n_tiles + n_partial_energies);
    d_scratch_.resize(bytes);
  }

  StepSums* tile_sums() const { return d_tile_.data(); }
  PartialEnergy* pair_energies() const { return d_pairs_.data(); }
  const StepSums* total() const { return d_total_.data(); }

  /// Reduces the tiles' sums, and the pairs' energies where wanted, to total().
  void run(const Cuda& cuda, bool with_pairs) const {
    std::size_t bytes = d_scratch_.size();
    reduce(cuda, d_scratch_.data(), bytes, n_tiles_ + (with_pairs ? n_partial_energies_ : 0));
  }

  /// Waits.
  StepSums download(const Cuda& cuda) const {
    StepSums sums;
    d_total_.download({&sums, 1});
    cuda.stream.synchronize("reading the sums of a step");
    return sums;
  }

 private:
  void reduce(const Cuda& cuda, void* scratch, std::size_t& bytes, std::uint32_t n) const {
    DROPMD_CUDA(cub::DeviceReduce::TransformReduce(
                    scratch, bytes, thrust::counting_iterator<std::uint32_t>(0), d_total_.data(), n, AddStepSums{},
                    SumParts{d_tile_.data(), d_pairs_.data(), n_tiles_}, StepSums{}, cuda.get()),
                "reducing the sums of a step");
  }

  std::uint32_t n_tiles_;
  std::uint32_t n_partial_energies_;
  DeviceBuffer<StepSums> d_tile_;
  DeviceBuffer<PartialEnergy> d_pairs_;
  DeviceBuffer<StepSums> d_total_;
  DeviceBuffer<unsigned char> d_scratch_;
};

}  // namespace dropmd
