#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "device/buffer.cuh"
#include "device/communicator/work_share.h"
#include "device/cuda.cuh"
#include "forces/force_scale.h"
#include "forces/force_sums.cuh"
#include "forces/pair/cuda/all_pairs/excluded_tiles.cuh"
#include "forces/pair/cuda/device_pair_table.cuh"
#include "forces/pair/cuda/partial_energy.cuh"
#include "forces/pair/pair_model.h"
#include "neighbor/atom_tiles.cuh"

namespace dropmd {

/// The device memory of AtomTilesView; the state of the atoms is stored elsewhere.
template <class Real>
class AtomTiles {
 public:
  AtomTiles(const Stream& stream, std::uint32_t n_atoms)
      : n_atoms_(n_atoms), d_local_(stream), d_low_order_(stream), d_frame_(stream), d_box_(stream) {
    const std::size_t n_tiles = tiles_of(n_atoms);
    d_local_.resize(n_tiles * kTileAtoms);
    d_low_order_.resize(n_tiles * kTileAtoms);
    d_frame_.resize(n_tiles);
    d_box_.resize(n_tiles * kJTilesPerTile);
  }

  static std::uint64_t bytes(std::uint32_t n_atoms) {
    return (2 * kTileAtoms * sizeof(LocalAtom<Real>) + sizeof(TileFrame<Real>) +
            kJTilesPerTile * sizeof(JTileBox<Real>)) *
           std::uint64_t{tiles_of(n_atoms)};
  }

  /// d_position, d_charge, d_species: [n_atoms] in spatial order. excluded: the pairs that are left out.
  AtomTilesView<Real> view(const Vec3<double>* d_position, const double* d_charge, const std::uint32_t* d_species,
                           const ExcludedAtomsView& excluded = {}) const {
    return {d_position,      d_charge,      d_species, d_local_.data(), d_low_order_.data(),
            d_frame_.data(), d_box_.data(), n_atoms_,  excluded};
  }

 private:
  std::uint32_t n_atoms_;
  DeviceBuffer<LocalAtom<Real>> d_local_;
  DeviceBuffer<LocalAtom<Real>> d_low_order_;
  DeviceBuffer<TileFrame<Real>> d_frame_;
  DeviceBuffer<JTileBox<Real>> d_box_;
};

/// Fills every tile from the positions.
template <class Real>
void fill_tiles(const Cuda& cuda, const AtomTilesView<Real>& tiles);

/// Edge of the cells along whose curve the atoms of tiles are ordered: half the contact distance, so that a j-tile of
/// 32 atoms spans several cells.
inline double tile_order_edge(const PairModel& model) { return 0.5 * model.smallest_r_min().value_or(2.0); }

/// The device memory of ForceSumsView and its errors; initially zero.
template <class Real>
class ForceSums {
 public:
  /// Starts with the model's coarsest scale. charge: [n_atoms], in any order.
  ForceSums(const Stream& stream, const PairModel& model, std::span<const double> charge);

  ForceSumsView<Real> view() const;
  /// The scale, an exponent of two within scales(), from which the quantum follows. Sums that were computed with
  /// another scale have no meaning.
  int scale() const { return scale_; }
  void set_scale(int scale) { scale_ = scale; }
  const ForceScaleRange& scales() const { return scales_; }
  /// Sets the scale that suits the terms themselves. add(view) must add all forces to sums that are zero; it is called
  /// with one scale after another until the terms fit, and the last call leaves its forces in the sums. Waits for the
  /// device. The result is a function of the forces and of the previous scale.
  template <class Add>
  void add_in_fitting_scale(const Cuda& cuda, const Add& add) {
    constexpr int kMostLooks = 16;  // a model's whole range takes four
    for (int look = 1;; ++look) {
      d_squares_.zero();
      ForceSumsView<Real> sums = view();
      sums.squares = d_squares_.data();
      add(sums);
      const int fitting = fitting_scale(scale_, mean_square(cuda), scales_);
      if (fitting == scale_ || look == kMostLooks) return;
      scale_ = fitting;
      clear(cuda);
    }
  }
  /// Counts the sums themselves as terms, for kernels that set whole sums.
  void note_sums(const Cuda& cuda, const ForceSumsView<Real>& sums) const;

  ErrorRecord& errors() { return errors_; }
  /// The memory of the sums, words(n_atoms) words, which may serve another purpose while the sums are not needed, until
  /// the next clear(); and that of the squares.
  std::span<unsigned long long> words() const { return {d_sums_.data(), d_sums_.size()}; }
  std::span<unsigned long long> squares() const { return {d_squares_.data(), d_squares_.size()}; }
  void clear(const Cuda& cuda) const;
  /// Copies the sums and the scale of the same number of atoms, but not the errors.
  void copy_from(const Cuda& cuda, const ForceSums& other);
  /// Returns the sums as forces, [n_atoms] in spatial order, energy/length; waits for the device.
  std::vector<Vec3<double>> download(const Cuda& cuda, std::uint32_t n_atoms) const;
  /// Number of 64-bit words of the sums of n_atoms atoms.
  static std::size_t words(std::uint32_t n_atoms) { return std::size_t{tiles_of(n_atoms)} * 3 * kTileAtoms * 2; }
  /// Device memory in bytes: the sums, the counters of squares, the mark of `high` and the error record.
  static std::uint64_t bytes(std::uint32_t n_atoms) {
    return sizeof(unsigned long long) * (words(n_atoms) + TermSquares::kCounters + 1) + sizeof(std::uint32_t);
  }
  /// Starts a copy of the sums, words(n_atoms) words, on a stream that is ordered after their computation.
  void start_download(const Stream& on, std::span<unsigned long long> h_words) const;
  /// Replaces the sums by downloaded ones, in stream order.
  void upload(std::span<const unsigned long long> h_words) { d_sums_.upload(h_words); }
  /// Returns the force on the atom at `index` from downloaded words.
  Vec3<double> force(std::span<unsigned long long> h_words, std::uint32_t index) const;

 private:
  /// Returns the mean square of the counted terms per atom, relative to the scale; waits for the device.
  double mean_square(const Cuda& cuda) const;

  std::uint32_t n_atoms_;
  ForceScaleRange scales_;
  int scale_;
  ErrorRecord errors_;
  DeviceBuffer<unsigned long long> d_sums_;     ///< all of low, then all of high
  DeviceBuffer<unsigned long long> d_squares_;  ///< [TermSquares::kCounters]
  DeviceBuffer<std::uint32_t> d_any_high_;      ///< [1]
};

/// Returns the number of work items per warp for the forces of n_atoms atoms; see items_per_warp().
template <class Real>
std::vector<std::uint32_t> force_items_per_warp(std::uint32_t n_atoms, int multiprocessors);

/// All pairs over tiles, each computed once (Newton's third law): selects and launches the kernels. After construction
/// nothing waits or allocates, so everything may be captured in a graph.
template <class Real>
class TileForces {
 public:
  /// share: of the work; what other GPUs perform is left out.
  TileForces(const Cuda& cuda, const PairModel& model, std::uint32_t n_atoms, WorkShare share = {});

  /// Finds the tiles with exclusions; to be called whenever the order of the atoms has changed, and before the first
  /// forces, which allocates.
  void reordered(const Cuda& cuda, const AtomTilesView<Real>& tiles) { excluded_tiles_.find(cuda, tiles.excluded); }
  /// Adds the forces of the share's pairs to the sums. The tiles must have been filled.
  void add_forces(const Cuda& cuda, const AtomTilesView<Real>& tiles, const ForceSumsView<Real>& sums) const {
    (tiles.excluded.any() ? add_forces_with_exclusions_ : add_forces_)(cuda, tiles, excluded_tiles_.view(), sums);
  }
  /// Computes the energies of the share's pairs. d_partial: [n_partial_energies()], zero for others.
  void energies(const Cuda& cuda, const AtomTilesView<Real>& tiles, PartialEnergy* d_partial) const {
    energies_(cuda, tiles, excluded_tiles_.view(), d_partial);
  }
  std::uint32_t n_partial_energies() const { return static_cast<std::uint32_t>(d_items_.size()); }

  /// Number of warps with work items on a device, each with its own energy sum; and the memory of their items.
  static std::uint64_t n_items(std::uint32_t n_atoms, int multiprocessors);
  static std::uint64_t bytes(std::uint32_t n_atoms, int multiprocessors) {
    return sizeof(WarpItems) * n_items(n_atoms, multiprocessors);
  }

 private:
  DeviceBuffer<WarpItems> d_items_;
  DevicePairTable<Real> table_;
  ExcludedTiles excluded_tiles_;
  using AddForces = std::function<void(const Cuda&, const AtomTilesView<Real>&, const ExcludedTilesView&,
                                       const ForceSumsView<Real>&)>;
  AddForces add_forces_, add_forces_with_exclusions_;
  std::function<void(const Cuda&, const AtomTilesView<Real>&, const ExcludedTilesView&, PartialEnergy*)> energies_;
};

extern template void fill_tiles(const Cuda&, const AtomTilesView<float>&);
extern template void fill_tiles(const Cuda&, const AtomTilesView<double>&);
extern template class ForceSums<float>;
extern template class ForceSums<double>;
extern template std::vector<std::uint32_t> force_items_per_warp<float>(std::uint32_t, int);
extern template std::vector<std::uint32_t> force_items_per_warp<double>(std::uint32_t, int);
extern template class TileForces<float>;
extern template class TileForces<double>;

}  // namespace dropmd
