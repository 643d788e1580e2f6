#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/storage_order.h"
#include "device/buffer.cuh"
#include "forces/device_force_term.cuh"
#include "forces/pair/cuda/all_pairs/tile_forces.cuh"
#include "forces/pair/pair_model.h"
#include "neighbor/cells/cell_grid.h"

namespace dropmd {

/// Atoms of the host on a GPU for one evaluation of forces: in spatial order, with the sums of their forces.
template <class Real>
class AtomsOnDevice {
 public:
  /// Copies the atoms to the device; waits. position: [n_atoms][3] length; charge, pair_species: [n_atoms]; n_atoms >
  /// 0. model: determines the spatial order and the scale of the sums. anchor: a point near most of the atoms.
  /// excluded: the pairs that are left out, by index in the host's arrays; nullptr: none.
  AtomsOnDevice(const Stream& stream, const PairModel& model, std::span<const Vec3<double>> position,
                std::span<const double> charge, std::span<const std::uint32_t> pair_species, const Vec3<double>& anchor,
                const ExcludedPairs* excluded = nullptr)
      : n_atoms_(static_cast<std::uint32_t>(position.size())),
        d_position_(stream),
        d_charge_(stream),
        d_species_(stream),
        d_host_index_(stream),
        excluded_(stream, excluded),
        tiles_(stream, n_atoms_),
        sums_(stream, model, charge) {
    const CellGrid grid(position, anchor, tile_order_edge(model));
    order_.assign(grid.order().begin(), grid.order().end());
    const std::vector<Vec3<double>> x = in_order<Vec3<double>>(position, order_);
    const std::vector<double> q = in_order<double>(charge, order_);
    const std::vector<std::uint32_t> species = in_order<std::uint32_t>(pair_species, order_);
    d_position_.upload(x);
    d_charge_.upload(q);
    d_species_.upload(species);
    d_host_index_.upload(order_);
    stream.synchronize("copying the atoms to the device");
  }

  /// search: state of the pair forces' neighbour search; null if forces are wanted in any case.
  DeviceMoment<Real> moment(const SearchState* search = nullptr) const {
    return {d_position_.data(),
            d_charge_.data(),
            d_host_index_.data(),
            n_atoms_,
            nullptr,
            search,
            tiles_.view(d_position_.data(), d_charge_.data(), d_species_.data(), excluded_.view(d_host_index_.data()))};
  }
  ForceSums<Real>& sums() { return sums_; }

  /// Calls use(index in the host's arrays, force) for the sums of all atoms; waits.
  template <class Use>
  void for_each_force(const Cuda& cuda, const Use& use) const {
    const std::vector<Vec3<double>> force = sums_.download(cuda, n_atoms_);
    for (std::uint32_t k = 0; k < n_atoms_; ++k) use(order_[k], force[k]);
  }

 private:
  std::uint32_t n_atoms_;
  std::vector<std::uint32_t> order_;  ///< [n_atoms] index in the host's arrays by storage index
  DeviceBuffer<Vec3<double>> d_position_;
  DeviceBuffer<double> d_charge_;
  DeviceBuffer<std::uint32_t> d_species_, d_host_index_;
  ExcludedAtoms excluded_;
  AtomTiles<Real> tiles_;
  ForceSums<Real> sums_;
};

}  // namespace dropmd
