#pragma once

#include <optional>

#include "engine/step_view.cuh"
#include "forces/list_forces.cuh"
#include "forces/tile_forces.cuh"

namespace dropmd {

/// The pair forces of a run on a GPU: of all pairs, or of a pair list.
template <class Real>
class DevicePairs {
 public:
  /// anchor: near most of the atoms.
  DevicePairs(const Cuda& cuda, const System& system, const Method& method, const Vec3<double>& anchor)
      : n_atoms_(static_cast<std::uint32_t>(system.particles.size())) {
    if (method.neighbor != NeighborMethod::pair_list) {
      all_pairs_.emplace(cuda, system.model, n_atoms_);
      return;
    }
    by_list_.emplace(cuda, system.model);
    list_.emplace(cuda.stream, n_atoms_, list_reach(system.model, method.skin), anchor);
  }

  /// Null: all pairs.
  PairList* list() { return list_ ? &*list_ : nullptr; }

  /// Adds the forces of the pairs of the tiles to the sums; by a list, if it serves. d_clock: see ListForces.
  void add_forces(const Cuda& cuda, const StepView<Real>& step, const StepClock* d_clock) const {
    if (by_list_)
      by_list_->add_forces(cuda, step.list, step.tiles, d_clock, step.sums);
    else
      all_pairs_->add_forces(cuda, step.tiles, step.sums);
  }
  /// d_partial: [n_partial_energies()]
  void energies(const Cuda& cuda, const StepView<Real>& step, PartialEnergy* d_partial) const {
    if (by_list_)
      by_list_->energies(cuda, step.list, step.tiles, d_partial);
    else
      all_pairs_->energies(cuda, step.tiles, d_partial);
  }
  std::uint32_t n_partial_energies() const { return by_list_ ? tiles_of(n_atoms_) : all_pairs_->n_partial_energies(); }
  /// Of the last build that the host has read.
  std::uint64_t examined() const {
    return list_ ? list_->what_was_read().n_pairs : std::uint64_t{n_atoms_} * (n_atoms_ - 1) / 2;
  }

 private:
  std::uint32_t n_atoms_;
  std::optional<TileForces<Real>> all_pairs_;
  std::optional<ListForces<Real>> by_list_;
  std::optional<PairList> list_;
};

}  // namespace dropmd
