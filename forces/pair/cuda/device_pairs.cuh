#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <stdexcept>
#include <type_traits>

#include "device/communicator/peer_balance.cuh"
#include "forces/device_force_term.cuh"
#include "forces/pair/cuda/all_pairs/tile_forces.cuh"
#include "forces/pair/cuda/cells/cell_forces.cuh"
#include "forces/pair/cuda/lists/list_forces.cuh"
#include "forces/pair/cuda/lists/two_atom_forces.cuh"
#include "forces/pair/pair_search.h"

namespace dropmd {

/// The pair forces of atoms on a GPU, by one of the methods, with the neighbour structure that finds the pairs. Their
/// energies are partial sums, which take part in the sums over a step. In a run on several GPUs each has a share of the
/// pairs, with only its part of a list, but with all cells; the partial sums of other shares are zero. restore()
/// rebuilds the neighbour structure for the positions for which it had been built at the time of save(), and fills the
/// tiles with the present positions.
template <class Real>
class DevicePairs : public DeviceForceTerm<Real> {
 public:
  /// Returns the check of whether the neighbour structure is still valid for the positions; its state is null without a
  /// neighbour structure (all pairs).
  virtual DisplacementCheck displacement_check() const { return {}; }
  /// Whether the pairs are found by a neighbour structure.
  bool searches() const { return displacement_check().state != nullptr; }
  /// Whether forces are computed from the tiles, which must then hold the present positions.
  virtual bool uses_tiles() const { return true; }
  /// Whether the work is divided anew among several GPUs when the neighbour structure is built; otherwise it may be
  /// divided anew at any time.
  virtual bool builds_in_parts() const { return false; }
  /// Returns whether each of several GPUs computes pairs of each tile (ListBoxes::touched_by()); null if not known.
  virtual const std::uint8_t* touched_by() const { return nullptr; }

  /// Sets a point near most of the atoms, for neighbour structures built after this call.
  virtual void set_anchor(const Vec3<double>&) {}
  /// Sets the positions that the last save() would have stored: [n_atoms][3] in storage order; the array must exist
  /// until the next wait.
  virtual void set_saved(std::span<const Vec3<double>>) {}

  /// Computes the energies of the pairs. d_partial: [n_partial_energies()].
  virtual void partial_energies(const Cuda& cuda, const DeviceMoment<Real>& now, PartialEnergy* d_partial) const = 0;
  /// Number of partial sums that partial_energies() writes.
  virtual std::uint32_t n_partial_energies() const = 0;
  void energies(const Cuda&, const DeviceMoment<Real>&, double*) const final {
    throw std::logic_error("energies of pairs on a GPU are partial sums");
  }

  /// Number of pairs whose distance is computed, each counted once.
  virtual std::uint64_t candidate_pairs() const = 0;
};

namespace device_pairs_detail {

/// All pairs, without a neighbour structure.
template <class Real>
class AllPairs final : public DevicePairs<Real> {
 public:
  AllPairs(const Cuda& cuda, const PairModel& model, std::uint32_t n_atoms, const PeerWork& work)
      : n_atoms_(n_atoms), forces_(cuda, model, n_atoms, work.share()) {}

  void reordered(const Cuda& cuda, const DeviceMoment<Real>& now) override { forces_.reordered(cuda, now.tiles); }
  void rebuild(const Cuda& cuda, const DeviceMoment<Real>& now) override { fill_tiles(cuda, now.tiles); }
  void restore(const Cuda& cuda, const DeviceMoment<Real>& now) override {
    reordered(cuda, now);
    fill_tiles(cuda, now.tiles);
  }
  void add_forces(const Cuda& cuda, const DeviceMoment<Real>& now, const ForceSumsView<Real>& sums) const override {
    forces_.add_forces(cuda, now.tiles, sums);
  }
  void partial_energies(const Cuda& cuda, const DeviceMoment<Real>& now, PartialEnergy* d_partial) const override {
    forces_.energies(cuda, now.tiles, d_partial);
  }
  std::uint32_t n_partial_energies() const override { return forces_.n_partial_energies(); }
  std::uint64_t candidate_pairs() const override { return std::uint64_t{n_atoms_} * (n_atoms_ - 1) / 2; }

 private:
  std::uint32_t n_atoms_;
  TileForces<Real> forces_;
};

/// Pair forces with a neighbour structure: a PairList with ListForces, a TwoAtomList with TwoAtomForces, or CellPairs
/// with CellForces.
template <class Real, class Search, class Forces>
class SearchedPairs final : public DevicePairs<Real> {
 public:
  template <class... Arguments>
  SearchedPairs(const Cuda& cuda, const PairModel& model, const PeerWork& work,
                const Arguments&... of_search) requires(Search::kInParts)
      : forces_(cuda, model), search_(cuda.stream, of_search..., work) {}
  template <class... Arguments>
  SearchedPairs(const Cuda& cuda, const PairModel& model, const PeerWork& work,
                const Arguments&... of_search) requires(!Search::kInParts)
      : forces_(cuda, model, work.share()), search_(cuda.stream, of_search...) {}

  DisplacementCheck displacement_check() const override { return search_.displacement_check(); }
  bool uses_tiles() const override { return Search::kUsesTiles; }
  bool builds_in_parts() const override { return Search::kInParts; }
  const std::uint8_t* touched_by() const override {
    if constexpr (Search::kInParts) return search_.touched_by();
    return nullptr;
  }
  void set_anchor(const Vec3<double>& anchor) override { search_.set_anchor(anchor); }
  void rebuild(const Cuda& cuda, const DeviceMoment<Real>& now) override { search_.build_now(cuda, now.tiles); }
  void refresh(const Cuda& cuda, const DeviceMoment<Real>& now) override { search_.build_if_stale(cuda, now.tiles); }
  void save(const Cuda& cuda) override { search_.save(cuda); }
  void set_saved(std::span<const Vec3<double>> positions) override { search_.set_saved(positions); }
  void restore(const Cuda& cuda, const DeviceMoment<Real>& now) override { search_.restore(cuda, now.tiles); }
  void add_forces(const Cuda& cuda, const DeviceMoment<Real>& now, const ForceSumsView<Real>& sums) const override {
    forces_.add_forces(cuda, search_.view(), now.tiles, now.clock, sums);
  }
  void partial_energies(const Cuda& cuda, const DeviceMoment<Real>& now, PartialEnergy* d_partial) const override {
    forces_.energies(cuda, search_.view(), now.tiles, d_partial, search_.n_partial_energies());
  }
  std::uint32_t n_partial_energies() const override { return search_.n_partial_energies(); }
  void start_reading() const override { search_.start_reading(); }
  bool reallocate(const Cuda& cuda) override { return search_.reallocate(cuda); }
  std::uint32_t times_reallocated() const override { return search_.times_reallocated(); }
  std::uint64_t candidate_pairs() const override { return search_.candidate_pairs(); }

 private:
  Forces forces_;
  Search search_;
};

}  // namespace device_pairs_detail

/// Returns the pair forces of a method. anchor: a point near most of the atoms; search.form: one that suits, or
/// `automatic`; work: for a run on several GPUs, which share the pairs. Throws InputError if the method needs a cutoff
/// and a pair term has none.
template <class Real>
std::unique_ptr<DevicePairs<Real>> make_device_pairs(const Cuda& cuda, const PairModel& model, const PairSearch& search,
                                                     std::uint32_t n_atoms, const Vec3<double>& anchor,
                                                     const PeerWork& work = {}) {
  using namespace device_pairs_detail;
  switch (search.method) {
    case NeighborMethod::pair_list:
      if constexpr (std::is_same_v<Real, float>)
        if (uses_two_atom_clusters(search, model, Precision::mixed, n_atoms))
          return std::make_unique<SearchedPairs<Real, TwoAtomList, TwoAtomForces>>(
              cuda, model, work, n_atoms, pair_list_parameters(model, search.skin), anchor);
      return std::make_unique<SearchedPairs<Real, PairList, ListForces<Real>>>(
          cuda, model, work, n_atoms, pair_list_parameters(model, search.skin), anchor);
    case NeighborMethod::cells:
    case NeighborMethod::sorted_cells:
      return std::make_unique<SearchedPairs<Real, CellPairs, CellForces<Real>>>(
          cuda, model, work, n_atoms, cell_pairs_parameters(model, search), anchor);
    case NeighborMethod::all_pairs:
      return std::make_unique<AllPairs<Real>>(cuda, model, n_atoms, work);
    case NeighborMethod::automatic:
      break;
  }
  throw std::logic_error("no pair forces on a GPU for this neighbor method");
}

}  // namespace dropmd
