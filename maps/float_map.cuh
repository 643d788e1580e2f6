#pragma once

#include <memory>
#include <vector>

#include "core/raw_vector.h"
#include "device/buffer.cuh"
#include "device/pinned.cuh"

namespace dropmd {

/// A map in fp32 on a device, with points in the order of the grid.
class FloatMap {
 public:
  explicit FloatMap(const Stream& stream) : stream_(stream), d_potential_(stream) {}

  /// Allocates n points, all zero.
  float* clear(std::size_t n) {
    d_potential_.resize(n);
    d_potential_.zero();
    if (!host_ || host_->all().size() < n) host_ = std::make_unique<Pinned<float>>(n);
    return d_potential_.data();
  }

  /// Waits for the map and copies it to the host, multiplied by scale.
  RawVector<double> fetch(double scale) const {
    const std::size_t n = d_potential_.size();
    d_potential_.download({host_->get(), n});
    stream_.synchronize("copying a potential map to the host");
    RawVector<double> potential(n);
    for (std::size_t p = 0; p < n; ++p) potential[p] = scale * static_cast<double>((*host_)[p]);
    return potential;
  }

 private:
  const Stream& stream_;
  DeviceBuffer<float> d_potential_;
  std::unique_ptr<Pinned<float>> host_;
};

}  // namespace dropmd
