#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "device/buffer.cuh"
#include "device/cuda.cuh"
#include "forces/device_force_term.cuh"

namespace dropmd {

/// The atoms of a model's terms, given by the host as indices in its arrays, as storage indices in device memory.
class TermAtoms {
 public:
  /// Stands for an atom that does not exist, as host index and as storage index.
  static constexpr std::uint32_t kNoAtom = 0xFFFFFFFFU;

  explicit TermAtoms(const Stream& stream) : d_index_of_(stream), d_atom_(stream), d_at_(stream) {}

  /// Takes the atoms. atom: [n] indices in the host's arrays, of n_atoms atoms. Waits.
  void upload(const Cuda& cuda, std::span<const std::uint32_t> atom, std::size_t n_atoms);

  /// Finds where the atoms are; to be called by DeviceForceTerm::reordered().
  template <class Real>
  void reordered(const Cuda& cuda, const DeviceMoment<Real>& now) const {
    reordered(cuda, now.host_index, now.n_atoms);
  }
  /// The same. host_index: [n_atoms] by storage index.
  void reordered(const Cuda& cuda, const std::uint32_t* host_index, std::uint32_t n_atoms) const;

  /// Number of atoms that were taken.
  std::size_t size() const { return d_atom_.size(); }
  /// [size()] storage indices, in the order in which the atoms were taken.
  const std::uint32_t* at() const { return d_at_.data(); }

  /// Device memory for `size` atoms of terms, bytes.
  static std::uint64_t bytes(std::size_t n_atoms, std::size_t size) {
    return sizeof(std::uint32_t) * (std::uint64_t{n_atoms} + 2 * std::uint64_t{size});
  }

 private:
  DeviceBuffer<std::uint32_t> d_index_of_;  ///< [n_atoms] storage index by host index
  DeviceBuffer<std::uint32_t> d_atom_;      ///< [size] host indices
  DeviceBuffer<std::uint32_t> d_at_;        ///< [size] storage indices
};

}  // namespace dropmd
