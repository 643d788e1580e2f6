#pragma once

#include <thrust/iterator/counting_iterator.h>
#include <cstdint>
#include <cub/device/device_reduce.cuh>

#include "device/buffer.cuh"
#include "device/cub_scratch.h"
#include "device/error_record.cuh"
#include "engine/device/device_state.cuh"
#include "engine/device/ledger_view.cuh"
#include "engine/device/step_sums.cuh"
#include "engine/rotation.h"
#include "integrators/kinetic_change.h"

namespace dropmd {

/// Adds the contributions of atoms.
struct AddRotationSums {
  DROPMD_HOST_DEVICE RotationSums operator()(RotationSums a, const RotationSums& b) const { return a += b; }
};

/// The atoms whose rotation is removed: all, or the droplet's members.
struct RotatingAtoms {
  DeviceStateView all;
  bool of_droplet;

  DROPMD_HOST_DEVICE bool has(std::uint32_t i) const { return !of_droplet || (all.groups[i] & field::kInDroplet) != 0; }
};

/// Returns the contribution of an atom; total: the sums over these atoms.
struct RotationOfAtom {
  RotatingAtoms rotating;
  const StepSums* total;

  DROPMD_HOST_DEVICE RotationSums operator()(std::uint32_t i) const {
    if (!rotating.has(i)) return {};
    const DeviceStateView& atoms = rotating.all;
    const double mass_inv = 1.0 / total->mass;
    return {atoms.mass[i], atoms.position[i] - mass_inv * total->mass_moment,
            atoms.velocity[i] - mass_inv * total->momentum};
  }
};

/// Removes the rotation about the centre of mass, and books the change of the energy; one thread per atom.
static __global__ void remove_rotation_kernel(RotatingAtoms rotating, const StepSums* total, const RotationSums* sums,
                                              LedgerView ledger, ErrorRecordView errors) {
  __shared__ double rate[3];
  if (threadIdx.x == 0) {
    const Vec3<double> omega = sums->rate();
    rate[0] = omega.x, rate[1] = omega.y, rate[2] = omega.z;
  }
  __syncthreads();
  const std::uint32_t i = blockIdx.x * blockDim.x + threadIdx.x;
  const DeviceStateView& atoms = rotating.all;
  if (i >= atoms.n_atoms || errors.any() || atoms.mass[i] == 0 || !rotating.has(i))
    return;  // virtual sites have no velocity
  const Vec3<double> d = atoms.position[i] - (1.0 / total->mass) * total->mass_moment;
  const Vec3<double> before = atoms.velocity[i], after = before - cross(Vec3<double>{rate[0], rate[1], rate[2]}, d);
  atoms.velocity[i] = after;
  if (ledger.momentum != nullptr)
    ledger.momentum[atoms.host_index[i]] += kinetic_change(ledger.per_mv2, atoms.mass[i], before, after);
}

/// Removes the angular momentum about the centre of mass of a state on the device. Its memory is allocated once.
class RotationRemoval {
 public:
  RotationRemoval(const Stream& stream, std::uint32_t n_atoms) : d_sums_(stream), d_scratch_(stream) {
    d_sums_.resize(1);
    std::size_t bytes = 0;
    DeviceStateView atoms{};
    atoms.n_atoms = n_atoms;
    reduce({stream}, nullptr, bytes, {atoms, false}, nullptr);
    d_scratch_.resize(bytes);
  }

  /// Device memory in bytes for any number of atoms: the sums, and a bound on CUB's scratch.
  static constexpr std::uint64_t kFixedBytes = sizeof(RotationSums) + reduce_scratch_bytes(sizeof(RotationSums));

  /// of_droplet: whether of the droplet's members alone. d_total: the sums over these atoms. Nothing changes if
  /// `errors` has a fault.
  void operator()(const Cuda& cuda, const DeviceStateView& atoms, bool of_droplet, const StepSums* d_total,
                  const LedgerView& ledger, const ErrorRecordView& errors) const {
    constexpr std::uint32_t kThreads = 128;
    std::size_t bytes = d_scratch_.size();
    const RotatingAtoms rotating{atoms, of_droplet};
    reduce(cuda, d_scratch_.data(), bytes, rotating, d_total);
    remove_rotation_kernel<<<(atoms.n_atoms + kThreads - 1) / kThreads, kThreads, 0, cuda.get()>>>(
        rotating, d_total, d_sums_.data(), ledger, errors);
    DROPMD_CUDA_LAUNCHED("removing the angular momentum");
  }

 private:
  void reduce(const Cuda& cuda, void* scratch, std::size_t& bytes, const RotatingAtoms& rotating,
              const StepSums* d_total) const {
    DROPMD_CUDA(cub::DeviceReduce::TransformReduce(scratch, bytes, thrust::counting_iterator<std::uint32_t>(0),
                                                   d_sums_.data(), rotating.all.n_atoms, AddRotationSums{},
                                                   RotationOfAtom{rotating, d_total}, RotationSums{}, cuda.get()),
                "summing the angular momentum");
  }

  DeviceBuffer<RotationSums> d_sums_;
  DeviceBuffer<unsigned char> d_scratch_;
};

}  // namespace dropmd
