#pragma once

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <optional>
#include <span>
#include <vector>

#include "core/particles.h"
#include "core/storage_order.h"
#include "device/buffer.cuh"
#include "device/cuda.cuh"

namespace dropmd {

/// The device array of a field.
template <class T>
using FieldPointer = T*;

/// The particle state in device memory, fp64, in spatial order: [n_atoms] for each field.
struct DeviceStateView : ParticleFields::Chosen<FieldPointer, IsOnDevice> {
  std::uint32_t* host_index = nullptr;  ///< [n_atoms] index in Particles, by storage index
  std::uint32_t n_atoms = 0;
};

#if defined(__CUDACC__)
/// Copies nothing for fields that are not on the device.
template <class Field>
__device__ void copy_field(const DeviceStateView& from, const DeviceStateView& to, std::uint32_t k) {
  if constexpr (Field::kOnDevice) Field::of(to)[k] = Field::of(from)[k];
}
template <class... Fields>
__device__ void copy_fields(FieldTable<Fields...>, const DeviceStateView& from, const DeviceStateView& to,
                            std::uint32_t k) {
  (copy_field<Fields>(from, to, k), ...);
}
#endif

/// Copies the state of all atoms; one thread per atom.
static __global__ void copy_state_kernel(DeviceStateView from, DeviceStateView to) {
  const std::uint32_t k = blockIdx.x * blockDim.x + threadIdx.x;
  if (k >= from.n_atoms) return;
  copy_fields(ParticleFields{}, from, to, k);
  to.host_index[k] = from.host_index[k];
}

/// Sets the groups of all atoms; one thread per atom. groups: [n_atoms] by index in Particles.
static __global__ void take_groups_kernel(DeviceStateView atoms, const std::uint8_t* groups) {
  const std::uint32_t k = blockIdx.x * blockDim.x + threadIdx.x;
  if (k < atoms.n_atoms) atoms.groups[k] = groups[atoms.host_index[k]];
}

/// Device memory of a field; empty until it has a stream.
template <class T>
using FieldBuffer = std::optional<DeviceBuffer<T>>;

/// The device memory of DeviceStateView.
class DeviceState {
 public:
  DeviceState(const Stream& stream, std::uint32_t n_atoms) : n_atoms_(n_atoms), d_host_index_(stream) {
    for_each_field<IsOnDevice>([&]<class Field>(Field) { Field::of(d_fields_).emplace(stream).resize(n_atoms); });
    d_host_index_.resize(n_atoms);
  }

  static std::uint64_t bytes(std::uint64_t n_atoms) {
    std::uint64_t of_atom = sizeof(std::uint32_t);  // of host_index
    for_each_field<IsOnDevice>([&]<class Field>(Field) { of_atom += sizeof(typename Field::Value); });
    return of_atom * n_atoms;
  }

  DeviceStateView view() const {
    DeviceStateView view;
    for_each_field<IsOnDevice>([&]<class Field>(Field) { Field::of(view) = Field::of(d_fields_)->data(); });
    view.host_index = d_host_index_.data();
    view.n_atoms = n_atoms_;
    return view;
  }

  /// Uploads the atoms in the order of the host; waits.
  void upload(const Cuda& cuda, const Particles& particles) {
    std::vector<std::uint32_t> host_index(n_atoms_);
    std::iota(host_index.begin(), host_index.end(), 0U);
    const FieldVectors<IsOnDevice> defaults = upload_defaults(particles);
    for_each_field<IsOnDevice>([&]<class Field>(Field) {
      if (!Field::of(particles).empty()) Field::of(d_fields_)->upload(Field::of(particles));
    });
    d_host_index_.upload(host_index);
    cuda.stream.synchronize("copying the atoms to the device");
  }
  /// Uploads the atoms in the order of host_index; waits.
  void upload(const Cuda& cuda, const Particles& particles, std::span<const std::uint32_t> host_index) {
    const FieldVectors<IsOnDevice> defaults = upload_defaults(particles);
    FieldVectors<IsOnDevice> stored;
    for_each_field<IsOnDevice>([&]<class Field>(Field) {
      if (Field::of(particles).empty()) return;
      Field::of(stored) = in_order<typename Field::Value>(Field::of(particles), host_index);
      Field::of(d_fields_)->upload(Field::of(stored));
    });
    d_host_index_.upload(host_index);
    cuda.stream.synchronize("copying the atoms to the device");
  }

  /// Uploads the groups alone; waits.
  void upload_groups(const Cuda& cuda, const Particles& particles) {
    constexpr std::uint32_t kThreads = 256;
    DeviceBuffer<std::uint8_t> d_groups(cuda.stream);
    d_groups.upload(particles.groups);
    take_groups_kernel<<<(n_atoms_ + kThreads - 1) / kThreads, kThreads, 0, cuda.get()>>>(view(), d_groups.data());
    DROPMD_CUDA_LAUNCHED("setting the groups of the atoms");
    cuda.stream.synchronize("setting the groups of the atoms");
  }

  /// Copies the state of the same number of atoms.
  void copy_from(const Cuda& cuda, const DeviceState& other) {
    constexpr std::uint32_t kThreads = 256;
    copy_state_kernel<<<(n_atoms_ + kThreads - 1) / kThreads, kThreads, 0, cuda.get()>>>(other.view(), view());
    DROPMD_CUDA_LAUNCHED("copying the atoms on the device");
  }

 private:
  /// Starts to upload default values of the fields that the atoms do not have. Returns the memory that is copied.
  FieldVectors<IsOnDevice> upload_defaults(const Particles& particles) {
    FieldVectors<IsOnDevice> defaults;
    for_each_field<IsOnDevice>([&]<class Field>(Field) {
      if constexpr (HasDefault<Field>) {
        if (!Field::of(particles).empty()) return;
        Field::of(defaults).assign(n_atoms_, Field::kDefault);
        Field::of(d_fields_)->upload(Field::of(defaults));
      }
    });
    return defaults;
  }

  std::uint32_t n_atoms_;
  ParticleFields::Chosen<FieldBuffer, IsOnDevice> d_fields_;
  DeviceBuffer<std::uint32_t> d_host_index_;
};

}  // namespace dropmd
