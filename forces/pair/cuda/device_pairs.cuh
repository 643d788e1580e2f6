#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <type_traits>

#include "forces/pair/cuda/all_pairs/tile_forces.cuh"
#include "forces/pair/cuda/cells/cell_forces.cuh"
#include "forces/pair/cuda/lists/list_forces.cuh"
#include "forces/pair/cuda/lists/two_atom_forces.cuh"
#include "forces/pair/pair_search.h"

namespace dropmd {

/// The pair forces of atoms on a GPU, by one of the methods. What is enqueued neither waits nor allocates, unless said,
/// and may be captured in a graph.
template <class Real>
class DevicePairs {
 public:
  virtual ~DevicePairs() = default;

  /// The search that must serve the positions; null where there is none: all pairs.
  virtual DisplacementCheck displacement_check() const { return {}; }
  bool searches() const { return displacement_check().state != nullptr; }
  /// Whether forces are computed from the tiles, which then belong to the positions.
  virtual bool uses_tiles() const { return true; }

  /// For searches made from now on: a point near most of the atoms.
  virtual void set_anchor(const Vec3<double>&) {}
  /// Makes what the forces at the positions need: the tiles, or the search (and its tiles), with room for it; waits.
  virtual void build_now(const Cuda& cuda, const AtomTilesView<Real>& tiles) = 0;
  /// Enqueues the same for a stale search, as far as there is room.
  virtual void build_if_stale(const Cuda&, const AtomTilesView<Real>&) {}
  /// Remembers for which positions the search was made. restore(): rebuilds it for these, the atoms being in the same
  /// order, and the tiles of the positions that they have now; waits.
  virtual void save(const Cuda&) {}
  /// Positions that are to be those of the last save(): [n_atoms], spatial order; to be kept until the next wait.
  virtual void set_saved(std::span<const Vec3<double>>) {}
  virtual void restore(const Cuda& cuda, const AtomTilesView<Real>& tiles) = 0;

  /// Adds the forces of the pairs to the sums; by a search if it serves and atoms have moved by their clock (null:
  /// always).
  virtual void add_forces(const Cuda& cuda, const AtomTilesView<Real>& tiles, const StepClock* d_clock,
                          const ForceSumsView<Real>& sums) const = 0;
  /// d_partial: [n_partial_energies()]
  virtual void energies(const Cuda& cuda, const AtomTilesView<Real>& tiles, PartialEnergy* d_partial) const = 0;
  virtual std::uint32_t n_partial_energies() const = 0;

  /// Starts a copy of the search's state to the host, in stream order, for those that follow.
  virtual void start_reading() const {}
  /// Makes room for what the last build needed, and marks the search as stale; waits. True if there was too little.
  virtual bool grow(const Cuda&) { return false; }
  /// How often a search's memory has moved: graphs captured before are void.
  virtual std::uint32_t times_grown() const { return 0; }
  /// Pairs whose distance is computed, each once.
  virtual std::uint64_t candidate_pairs() const = 0;
};

namespace device_pairs_detail {

template <class Real>
class AllPairs final : public DevicePairs<Real> {
 public:
  AllPairs(const Cuda& cuda, const PairModel& model, std::uint32_t n_atoms)
      : n_atoms_(n_atoms), forces_(cuda, model, n_atoms) {}

  void build_now(const Cuda& cuda, const AtomTilesView<Real>& tiles) override { fill_tiles(cuda, tiles); }
  void restore(const Cuda& cuda, const AtomTilesView<Real>& tiles) override { fill_tiles(cuda, tiles); }
  void add_forces(const Cuda& cuda, const AtomTilesView<Real>& tiles, const StepClock*,
                  const ForceSumsView<Real>& sums) const override {
    forces_.add_forces(cuda, tiles, sums);
  }
  void energies(const Cuda& cuda, const AtomTilesView<Real>& tiles, PartialEnergy* d_partial) const override {
    forces_.energies(cuda, tiles, d_partial);
  }
  std::uint32_t n_partial_energies() const override { return forces_.n_partial_energies(); }
  std::uint64_t candidate_pairs() const override { return std::uint64_t{n_atoms_} * (n_atoms_ - 1) / 2; }

 private:
  std::uint32_t n_atoms_;
  TileForces<Real> forces_;
};

/// Of a search: a PairList with ListForces, or CellPairs with CellForces.
template <class Real, class Search, class Forces>
class SearchedPairs final : public DevicePairs<Real> {
 public:
  template <class... Arguments>
  SearchedPairs(const Cuda& cuda, const PairModel& model, const Arguments&... of_search)
      : forces_(cuda, model), search_(cuda.stream, of_search...) {}

  DisplacementCheck displacement_check() const override { return search_.displacement_check(); }
  bool uses_tiles() const override { return Search::kUsesTiles; }
  void set_anchor(const Vec3<double>& anchor) override { search_.set_anchor(anchor); }
  void build_now(const Cuda& cuda, const AtomTilesView<Real>& tiles) override { search_.build_now(cuda, tiles); }
  void build_if_stale(const Cuda& cuda, const AtomTilesView<Real>& tiles) override {
    search_.build_if_stale(cuda, tiles);
  }
  void save(const Cuda& cuda) override { search_.save(cuda); }
  void set_saved(std::span<const Vec3<double>> positions) override { search_.set_saved(positions); }
  void restore(const Cuda& cuda, const AtomTilesView<Real>& tiles) override { search_.restore(cuda, tiles); }
  void add_forces(const Cuda& cuda, const AtomTilesView<Real>& tiles, const StepClock* d_clock,
                  const ForceSumsView<Real>& sums) const override {
    forces_.add_forces(cuda, search_.view(), tiles, d_clock, sums);
  }
  void energies(const Cuda& cuda, const AtomTilesView<Real>& tiles, PartialEnergy* d_partial) const override {
    forces_.energies(cuda, search_.view(), tiles, d_partial, search_.n_partial_energies());
  }
  std::uint32_t n_partial_energies() const override { return search_.n_partial_energies(); }
  void start_reading() const override { search_.start_reading(); }
  bool grow(const Cuda& cuda) override { return search_.grow(cuda); }
  std::uint32_t times_grown() const override { return search_.times_grown(); }
  std::uint64_t candidate_pairs() const override { return search_.candidate_pairs(); }

 private:
  Forces forces_;
  Search search_;
};

}  // namespace device_pairs_detail

/// anchor: near most of the atoms; search.form: one that suits, or `automatic`. Throws InputError where the method
/// needs a cutoff and a pair term has none.
template <class Real>
std::unique_ptr<DevicePairs<Real>> make_device_pairs(const Cuda& cuda, const PairModel& model, const PairSearch& search,
                                                     std::uint32_t n_atoms, const Vec3<double>& anchor) {
  using namespace device_pairs_detail;
  switch (search.method) {
    case NeighborMethod::pair_list:
      if constexpr (std::is_same_v<Real, float>)
        if (uses_two_atom_clusters(search, model, Precision::mixed, n_atoms))
          return std::make_unique<SearchedPairs<Real, TwoAtomList, TwoAtomForces>>(
              cuda, model, n_atoms, list_reach(model, search.skin), anchor);
      return std::make_unique<SearchedPairs<Real, PairList, ListForces<Real>>>(cuda, model, n_atoms,
                                                                               list_reach(model, search.skin), anchor);
    case NeighborMethod::cells:
    case NeighborMethod::sorted_cells:
      return std::make_unique<SearchedPairs<Real, CellPairs, CellForces<Real>>>(cuda, model, n_atoms,
                                                                                cell_reach(model, search), anchor);
    default:
      return std::make_unique<AllPairs<Real>>(cuda, model, n_atoms);
  }
}

}  // namespace dropmd
