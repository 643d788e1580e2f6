#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/step_clock.h"
#include "core/vec3.h"
#include "device/cuda.cuh"
#include "forces/atom_owners.h"
#include "forces/force_sums.cuh"
#include "neighbor/atom_tiles.cuh"
#include "neighbor/displacement_check.h"

namespace dropmd {

struct Peer;

/// Positions and other data of the atoms for which forces are computed on a GPU, in device memory, by storage index.
template <class Real>
struct DeviceMoment {
  const Vec3<double>* position;     ///< [n_atoms][3] fp64, length
  const double* charge;             ///< [n_atoms] fp64, charge
  const std::uint32_t* host_index;  ///< [n_atoms] index of the atom in the host's arrays
  std::uint32_t n_atoms;            ///< number of atoms
  const StepClock* clock;           ///< step that the atoms have reached; null: forces are wanted in any case
  const SearchState* search;        ///< neighbour search of the pair forces; null if all pairs are summed
  AtomTilesView<Real> tiles;        ///< the positions as pair kernels read them
  std::uint64_t outer_every = 1;    ///< forces are wanted only at steps that this divides (core/outer_steps.h)

#if defined(__CUDACC__)
  /// Whether a kernel must add its forces. Loops of steps on the device may launch steps past the last one, or with a
  /// stale neighbour search; these must have no effect.
  __device__ bool wants_forces() const {
    if (outer_every > 1 && clock != nullptr && clock->step() % outer_every != 0) return false;
    return search == nullptr || (search->usable() && (clock == nullptr || clock->moved()));
  }
#endif
};

/// A force term of many atoms in the steps on a GPU. The terms of a run are in one list (DeviceForces), the pair forces
/// (DevicePairs) first. Unless stated otherwise, functions only enqueue work, do not wait or allocate, and may be
/// captured in a graph. Results must not depend on the order of the atoms in memory or of threads: forces are integer
/// sums, and energies must be added in a fixed order.
template <class Real>
class DeviceForceTerm {
 public:
  virtual ~DeviceForceTerm() = default;

  /// Is called when the order of the atoms in memory has changed, and once before the first forces.
  virtual void reordered(const Cuda&, const DeviceMoment<Real>&) {}

  /// Prepares what the forces at the present positions need. rebuild() is called outside of graphs, at the start and at
  /// steps that the host performs one by one; it may wait and allocate. refresh() is called in every step before the
  /// forces, or only where the neighbour structure is stale if one is kept.
  virtual void rebuild(const Cuda&, const DeviceMoment<Real>&) {}
  virtual void refresh(const Cuda&, const DeviceMoment<Real>&) {}

  /// save() stores what the term has kept from earlier positions that its forces depend on; restore() returns to it,
  /// with the atoms in the same order, and may wait.
  virtual void save(const Cuda&) {}
  virtual void restore(const Cuda& cuda, const DeviceMoment<Real>& now) { reordered(cuda, now); }

  /// state() is like ForceTerm::state(), as of the last rebuild(). set_state() is called before the first restore(),
  /// which then returns to that state, or before the first rebuild(), which keeps what suits the positions. It returns
  /// whether the numbers can be a state.
  virtual std::vector<double> state() const { return {}; }
  virtual bool set_state(std::span<const double> state) { return state.empty(); }

  /// Divides the work of add_own_forces() among the GPUs that perform a run together, if it can be divided; called
  /// before the first rebuild(). rest: whether this GPU does what is not divided.
  virtual void divide(const Peer&, bool /*rest*/) {}
  /// The same where each GPU moves its own atoms: the owner of an interaction's first atom computes it. Called before
  /// the first reordered().
  virtual void divide_by_owners(const AtomOwners&) {}
  /// Whether the work has been divided. If so, all peers must call the next function, else one of them add_forces().
  virtual bool is_divided() const { return false; }
  /// Adds this peer's part of the forces, if now.wants_forces() is true on all of them.
  virtual void add_own_forces(const Cuda& cuda, const DeviceMoment<Real>& now, const ForceSumsView<Real>& sums) const {
    add_forces(cuda, now, sums);
  }

  /// Marks the tiles of all atoms whose positions these forces need or on which they act, including own atoms; called
  /// after reordered(). d_marked: [now.tiles.n_tiles()]; a mark is a 1.
  virtual void mark_tiles(const Cuda& cuda, const DeviceMoment<Real>& now, std::uint8_t* d_marked) const {
    DROPMD_CUDA(cudaMemsetAsync(d_marked, 1, now.tiles.n_tiles(), cuda.get()), "marking atoms of force terms");
  }

  /// Adds the forces to the sums if now.wants_forces() is true.
  virtual void add_forces(const Cuda& cuda, const DeviceMoment<Real>& now, const ForceSumsView<Real>& sums) const = 0;
  /// Computes the energies. d_energy: [n] in the order of ManyAtomTerm::energy_names(), overwritten.
  virtual void energies(const Cuda& cuda, const DeviceMoment<Real>& now, double* d_energy) const = 0;

  /// Starts a copy of the term's own state to the host, in stream order, for the next function.
  virtual void start_reading() const {}
  /// Reallocates to the capacity that the last refresh() needed; waits. Returns whether the capacity was too small.
  virtual bool reallocate(const Cuda&) { return false; }
  /// How often memory has been reallocated; graphs captured earlier contain old addresses.
  virtual std::uint32_t times_reallocated() const { return 0; }
};

}  // namespace dropmd
