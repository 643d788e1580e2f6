#pragma once

#include <cstdint>

#include "device/buffer.cuh"
#include "device/error_record.cuh"
#include "engine/device_state.cuh"
#include "engine/step_sums.cuh"

namespace dropmd {

struct RotationSums;

/// Removes the angular momentum about the mass centre of a state on the device. Its memory is allocated once.
class RotationRemoval {
 public:
  RotationRemoval(const Stream& stream, std::uint32_t n_atoms);

  /// d_total: the sums over the atoms as they are now. Nothing changes where `errors` has a fault.
  void operator()(const Cuda& cuda, const DeviceStateView& atoms, const StepSums* d_total,
                  const ErrorRecordView& errors) const;

 private:
  void reduce(const Cuda& cuda, void* scratch, std::size_t& bytes, const DeviceStateView& atoms,
              const StepSums* d_total) const;

  DeviceBuffer<RotationSums> d_sums_;
  DeviceBuffer<unsigned char> d_scratch_;
};

}  // namespace dropmd
