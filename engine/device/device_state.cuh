#pragma once

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <span>
#include <vector>

#include "core/particles.h"
#include "device/buffer.cuh"
#include "device/cuda.cuh"

namespace dropmd {

/// Values by atom as the atoms lie in memory: number says which atom a place has.
template <class T>
std::vector<T> in_order(std::span<const T> by_atom, std::span<const std::uint32_t> number) {
  std::vector<T> by_place;
  by_place.reserve(number.size());
  for (const std::uint32_t i : number) by_place.push_back(by_atom[i]);
  return by_place;
}

/// The particle state in device memory, fp64, atoms in spatial order.
struct DeviceStateView {
  Vec3<double>* position;  ///< [n_atoms]
  Vec3<double>* velocity;  ///< [n_atoms]
  double* mass;            ///< [n_atoms]
  double* charge;          ///< [n_atoms]
  std::uint32_t* species;  ///< [n_atoms], of the pair model
  std::uint32_t* number;   ///< [n_atoms], index in file order
  std::uint32_t n_atoms;
};

static __global__ void copy_state_kernel(DeviceStateView from, DeviceStateView to) {
  const std::uint32_t k = blockIdx.x * blockDim.x + threadIdx.x;
  if (k >= from.n_atoms) return;
  to.position[k] = from.position[k];
  to.velocity[k] = from.velocity[k];
  to.mass[k] = from.mass[k];
  to.charge[k] = from.charge[k];
  to.species[k] = from.species[k];
  to.number[k] = from.number[k];
}

/// Its memory.
class DeviceState {
 public:
  DeviceState(const Stream& stream, std::uint32_t n_atoms)
      : n_atoms_(n_atoms),
        d_position_(stream),
        d_velocity_(stream),
        d_mass_(stream),
        d_charge_(stream),
        d_species_(stream),
        d_number_(stream) {
    d_position_.resize(n_atoms);
    d_velocity_.resize(n_atoms);
    d_mass_.resize(n_atoms);
    d_charge_.resize(n_atoms);
    d_species_.resize(n_atoms);
    d_number_.resize(n_atoms);
  }

  static std::uint64_t bytes(std::uint64_t n_atoms) {
    return (2 * sizeof(Vec3<double>) + 2 * sizeof(double) + 2 * sizeof(std::uint32_t)) * n_atoms;
  }

  DeviceStateView view() const {
    return {d_position_.data(), d_velocity_.data(), d_mass_.data(), d_charge_.data(),
            d_species_.data(),  d_number_.data(),   n_atoms_};
  }

  /// In file order; waits.
  void upload(const Cuda& cuda, const Particles& particles, std::span<const std::uint32_t> pair_species) {
    std::vector<std::uint32_t> number(n_atoms_);
    std::iota(number.begin(), number.end(), 0U);
    upload(cuda, particles, pair_species, number);
  }
  /// number: the atoms in the order that they get; waits.
  void upload(const Cuda& cuda, const Particles& particles, std::span<const std::uint32_t> pair_species,
              std::span<const std::uint32_t> number) {
    const std::vector position = in_order<Vec3<double>>(particles.position, number),
                      velocity = in_order<Vec3<double>>(particles.velocity, number);
    const std::vector mass = in_order<double>(particles.mass, number),
                      charge = in_order<double>(particles.charge, number);
    const std::vector species = in_order<std::uint32_t>(pair_species, number);
    d_position_.upload(position);
    d_velocity_.upload(velocity);
    d_mass_.upload(mass);
    d_charge_.upload(charge);
    d_species_.upload(species);
    d_number_.upload(number);
    cuda.stream.synchronize("copying the atoms to the device");
  }

  /// Takes over everything; the same number of atoms.
  void copy_from(const Cuda& cuda, const DeviceState& other) {
    constexpr std::uint32_t kThreads = 256;
    copy_state_kernel<<<(n_atoms_ + kThreads - 1) / kThreads, kThreads, 0, cuda.get()>>>(other.view(), view());
    DROPMD_CUDA_LAUNCHED("copying the atoms on the device");
  }

 private:
  std::uint32_t n_atoms_;
  DeviceBuffer<Vec3<double>> d_position_;
  DeviceBuffer<Vec3<double>> d_velocity_;
  DeviceBuffer<double> d_mass_;
  DeviceBuffer<double> d_charge_;
  DeviceBuffer<std::uint32_t> d_species_;
  DeviceBuffer<std::uint32_t> d_number_;
};

}  // namespace dropmd
