#pragma once

#include <algorithm>
#include <cmath>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "device/device_info.h"
#include "device/timer.cuh"
#include "forces/list_forces.cuh"
#include "forces/pairs_cuda.h"
#include "forces/tile_forces.cuh"
#include "neighbor/cell_grid.h"
#include "neighbor/position_grid.h"

namespace dropmd {

/// All pairs, as PairsCuda wants them.
template <class Real>
class AllPairsOnDevice {
 public:
  AllPairsOnDevice(const Cuda& cuda, const PairModel& model, std::uint32_t n_atoms)
      : n_atoms_(n_atoms), forces_(cuda, model, n_atoms) {}

  void prepare(const Cuda& cuda, const AtomTilesView<Real>& tiles, const Vec3<double>&) { fill_tiles(cuda, tiles); }
  void add_forces(const Cuda& cuda, const AtomTilesView<Real>& tiles, const ForceSumsView<Real>& sums) const {
    forces_.add_forces(cuda, tiles, sums);
  }
  std::uint32_t n_partial_energies() const { return forces_.n_partial_energies(); }
  void energies(const Cuda& cuda, const AtomTilesView<Real>& tiles, PartialEnergy* d_partial) const {
    forces_.energies(cuda, tiles, d_partial);
  }
  std::uint64_t examined() const { return std::uint64_t{n_atoms_} * (n_atoms_ - 1) / 2; }
  void finish() {}

 private:
  std::uint32_t n_atoms_;
  TileForces<Real> forces_;
};

/// A pair list without skin, built for every evaluation: forces are a function of the positions alone.
template <class Real>
class PairListOnDevice {
 public:
  PairListOnDevice(const Cuda& cuda, const PairModel& model, std::uint32_t n_atoms)
      : stream_(cuda.stream), reach_(list_reach(model, 0)), n_atoms_(n_atoms), forces_(cuda, model) {}

  void prepare(const Cuda& cuda, const AtomTilesView<Real>& tiles, const Vec3<double>& anchor) {
    list_.emplace(stream_, n_atoms_, reach_, anchor);
    list_->build_now(cuda, tiles);
  }
  void add_forces(const Cuda& cuda, const AtomTilesView<Real>& tiles, const ForceSumsView<Real>& sums) const {
    forces_.add_forces(cuda, list_->view(), tiles, nullptr, sums);
  }
  std::uint32_t n_partial_energies() const { return tiles_of(n_atoms_); }
  void energies(const Cuda& cuda, const AtomTilesView<Real>& tiles, PartialEnergy* d_partial) const {
    forces_.energies(cuda, list_->view(), tiles, d_partial);
  }
  std::uint64_t examined() const { return list_->what_was_read().n_pairs; }
  /// Gives the list's memory back: a run has one of its own.
  void finish() { list_.reset(); }

 private:
  const Stream& stream_;
  PairListReach reach_;
  std::uint32_t n_atoms_;
  ListForces<Real> forces_;
  std::optional<PairList> list_;
};

/// Forces of a GPU for positions that lie on the host.
template <class Real, class Pairs>
class PairsCuda final : public PairForces {
 public:
  PairsCuda(int device, Cpu cpu, PairModel model, PairAtoms atoms)
      : cpu_(cpu),
        model_(std::move(model)),
        atoms_(atoms),
        stream_((require_device(device), device)),
        cuda_{stream_},
        n_atoms_(static_cast<std::uint32_t>(atoms.charge.size())),
        tiles_(stream_, n_atoms_),
        sums_(stream_, model_, atoms_.charge),
        pairs_(cuda_, model_, n_atoms_) {}

  PairSums evaluate(std::span<const Vec3<double>> position, std::span<Vec3<double>> force, Want want) override {
    if (n_atoms_ == 0) return {};
    stream_.activate();
    const Vec3<double> anchor = central_anchor(position, 1.0);
    const std::vector<std::uint32_t> order = upload(position, anchor);
    const AtomTilesView<Real> tiles = tiles_.view(d_position_.data(), d_charge_.data(), d_species_.data());
    sums_.clear(cuda_);
    pairs_.prepare(cuda_, tiles, anchor);
    timer_.start(stream_);
    pairs_.add_forces(cuda_, tiles, sums_.view());
    timer_.stop(stream_);
    const std::vector<Vec3<double>> sums = sums_.download(cuda_, n_atoms_);
    device_seconds_ = timer_.seconds();
    for (std::uint32_t k = 0; k < n_atoms_; ++k) force[order[k]] = sums[k];
    PairSums total;
    if (want == Want::forces_and_energies) total = energies(tiles);
    total.pairs_examined = pairs_.examined();
    pairs_.finish();
    if (sums_.errors().read()) {  // a force that fixed point cannot hold
      sums_.errors().clear();
      const PairSums exact = make_all_pairs(cpu_, Precision::fp64, model_, atoms_)->evaluate(position, force, want);
      total.vdw = exact.vdw;
      total.coulomb = exact.coulomb;
    }
    return total;
  }

  std::optional<double> device_seconds() const override { return device_seconds_; }

 private:
  /// The atoms in spatial order, which is returned.
  std::vector<std::uint32_t> upload(std::span<const Vec3<double>> position, const Vec3<double>& anchor) {
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
    d_position_.upload(x);
    d_charge_.upload(charge);
    d_species_.upload(species);
    stream_.synchronize("copying the atoms to the device");
    return order;
  }

  PairSums energies(const AtomTilesView<Real>& tiles) {
    d_energy_.resize(pairs_.n_partial_energies());
    pairs_.energies(cuda_, tiles, d_energy_.data());
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
  Stream stream_;
  Cuda cuda_;
  std::uint32_t n_atoms_;
  AtomTiles<Real> tiles_;
  ForceSums<Real> sums_;
  Pairs pairs_;
  Timer timer_;
  std::optional<double> device_seconds_;
  DeviceBuffer<Vec3<double>> d_position_{stream_};
  DeviceBuffer<double> d_charge_{stream_};
  DeviceBuffer<std::uint32_t> d_species_{stream_};
  DeviceBuffer<PartialEnergy> d_energy_{stream_};
};

template <class Real>
std::unique_ptr<PairForces> make_all_pairs_cuda(int device, Cpu cpu, const PairModel& model, PairAtoms atoms) {
  return std::make_unique<PairsCuda<Real, AllPairsOnDevice<Real>>>(device, cpu, model, atoms);
}

template <class Real>
std::unique_ptr<PairForces> make_pair_list_cuda(int device, Cpu cpu, const PairModel& model, PairAtoms atoms) {
  return std::make_unique<PairsCuda<Real, PairListOnDevice<Real>>>(device, cpu, model, atoms);
}

}  // namespace dropmd
