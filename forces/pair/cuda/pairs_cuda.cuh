#pragma once

#include <algorithm>
#include <cmath>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "device/device_info.h"
#include "device/timer.cuh"
#include "forces/pair/cuda/device_pairs.cuh"
#include "forces/pair/cuda/pairs_cuda.h"
#include "neighbor/cells/cell_grid.h"
#include "neighbor/position_grid.h"

namespace dropmd {

/// Pair forces on a GPU for positions in host memory.
template <class Real>
class PairsCuda final : public PairForces {
 public:
  PairsCuda(int device, Cpu cpu, const PairSearch& search, PairModel model, PairAtoms atoms)
      : cpu_(cpu),
        model_(std::move(model)),
        atoms_(atoms),
        search_(search),
        stream_((require_device(device), device)),
        cuda_{stream_},
        n_atoms_(static_cast<std::uint32_t>(atoms.charge.size())) {
    if (finds_neighbors(search_)) search_cutoff(model_);  // throws if there is none
  }

  PairSums evaluate(std::span<const Vec3<double>> position, std::span<Vec3<double>> force, Want want) override {
    if (n_atoms_ == 0) return {};
    stream_.activate();
    const Vec3<double> anchor = central_anchor(position, 1.0);
    // All memory is kept for this evaluation only: a run has its own memory, and the forces are a function of the
    // positions.
    DeviceBuffer<Vec3<double>> d_position(stream_);
    DeviceBuffer<double> d_charge(stream_);
    DeviceBuffer<std::uint32_t> d_species(stream_);
    const std::vector<std::uint32_t> order = upload(position, anchor, d_position, d_charge, d_species);
    const AtomTiles<Real> of_tiles(stream_, n_atoms_);
    const AtomTilesView<Real> tiles = of_tiles.view(d_position.data(), d_charge.data(), d_species.data());
    ForceSums<Real> of_atoms(stream_, model_, atoms_.charge);
    const std::unique_ptr<DevicePairs<Real>> pairs = make_pairs(anchor);
    pairs->build_now(cuda_, tiles);
    of_atoms.add_in_fitting_scale(
        cuda_, [&](const ForceSumsView<Real>& sums) { pairs->add_forces(cuda_, tiles, nullptr, sums); });
    of_atoms.clear(cuda_);
    timer_.start(stream_);
    pairs->add_forces(cuda_, tiles, nullptr, of_atoms.view());
    timer_.stop(stream_);
    const std::vector<Vec3<double>> sums = of_atoms.download(cuda_, n_atoms_);
    device_seconds_ = timer_.seconds();
    for (std::uint32_t k = 0; k < n_atoms_; ++k) force[order[k]] = sums[k];
    PairSums total;
    if (want == Want::forces_and_energies) total = energies(*pairs, tiles);
    total.candidate_pairs = pairs->candidate_pairs();
    if (of_atoms.errors().read()) {  // a force exceeds the range of fixed point
      const PairSums exact = make_all_pairs(cpu_, Precision::fp64, model_, atoms_)->evaluate(position, force, want);
      total.vdw = exact.vdw;
      total.coulomb = exact.coulomb;
    }
    return total;
  }

  std::optional<double> device_seconds() const override { return device_seconds_; }

 private:
  /// Uploads the atoms in spatial order and returns that order.
  std::vector<std::uint32_t> upload(std::span<const Vec3<double>> position, const Vec3<double>& anchor,
                                    DeviceBuffer<Vec3<double>>& d_position, DeviceBuffer<double>& d_charge,
                                    DeviceBuffer<std::uint32_t>& d_species) const {
    const CellGrid grid(position, anchor, tile_order_edge(model_));
    const std::vector<std::uint32_t> order(grid.order().begin(), grid.order().end());
    std::vector<Vec3<double>> x(n_atoms_);
    std::vector<double> charge(n_atoms_);
    std::vector<std::uint32_t> species(n_atoms_);
    for (std::uint32_t k = 0; k < n_atoms_; ++k) {
      x[k] = position[order[k]];
      charge[k] = atoms_.charge[order[k]];
      species[k] = atoms_.species[order[k]];
    }
    d_position.upload(x);
    d_charge.upload(charge);
    d_species.upload(species);
    stream_.synchronize("copying the atoms to the device");
    return order;
  }

  std::unique_ptr<DevicePairs<Real>> make_pairs(const Vec3<double>& anchor) const {
    return make_device_pairs<Real>(cuda_, model_, search_, n_atoms_, anchor);
  }

  PairSums energies(const DevicePairs<Real>& pairs, const AtomTilesView<Real>& tiles) {
    d_energy_.resize(pairs.n_partial_energies());
    pairs.energies(cuda_, tiles, d_energy_.data());
    std::vector<PartialEnergy> parts(d_energy_.size());
    d_energy_.download(parts);
    stream_.synchronize("computing energies");
    PartialEnergy sum{0, 0, 0};
    for (const PartialEnergy& part : parts) sum = sum + part;
    return {sum.vdw, sum.coulomb, sum.within, 0};
  }

  Cpu cpu_;
  PairModel model_;
  PairAtoms atoms_;
  PairSearch search_;
  Stream stream_;
  Cuda cuda_;
  std::uint32_t n_atoms_;
  Timer timer_;
  std::optional<double> device_seconds_;
  DeviceBuffer<PartialEnergy> d_energy_{stream_};
};

template <class Real>
std::unique_ptr<PairForces> make_pairs_cuda(int device, Cpu cpu, const PairSearch& search, const PairModel& model,
                                            PairAtoms atoms) {
  return std::make_unique<PairsCuda<Real>>(device, cpu, search, model, atoms);
}

}  // namespace dropmd
