#pragma once

#include <cstdint>

#include "core/macros.h"
#include "core/step_clock.h"
#include "engine/device/device_state.cuh"
#include "engine/device/ledger_view.cuh"
#include "forces/fields/atom_terms.h"
#include "forces/pair/cuda/all_pairs/tile_forces.cuh"
#include "forces/slow_forces.cuh"
#include "integrators/motion.h"
#include "neighbor/displacement_check.h"

namespace dropmd {

/// Faults that stop a run; codes of an ErrorRecord besides ForceFault, whose index is the atom's id less 1.
enum class MoveFault : std::uint8_t {
  too_far = 2,
  unsolved = 3  ///< constraints of the atom's cluster that cannot be satisfied
};

/// The data that the kernels of a step access.
template <class Real>
struct StepView {
  DeviceStateView atoms;
  AtomTilesView<Real> tiles;
  ForceSumsView<Real> sums;
  AtomTerms fields;
  double longest_move2;            ///< a longer move, squared, is a fault
  StepClock* clock;                ///< [n_tiles] steps that the atoms of each tile have reached
  DisplacementCheck displacement;  ///< with a neighbour structure; otherwise all null
  bool fills_tiles;                ///< whether forces are computed from the tiles
  /// With a neighbour structure: the atoms do not move beyond this step, whatever is launched.
  std::uint64_t* last_step;
  double timestep = 0;  ///< of the integrator; 0 for minimisers
  /// [n_atoms] by host index, for atoms whose ids are not 1 to n_atoms; else null.
  const std::uint32_t* id = nullptr;
  LedgerView ledger{};
  SlowSumsView<Real> slow{};                 ///< in a run with inner steps
  const AtomTerms* called_fields = nullptr;  ///< `fields` in device memory, for functions that kernels call
  bool has_sites = false;                    ///< whether there are virtual sites, whose mass is 0
  std::uint32_t n_with_mass = 0;             ///< number of the other atoms
  bool bath_of_part = false;                 ///< whether baths act on a part of the atoms alone
  /// [n_atoms] of a minimiser with constraints or virtual sites: the whole forces, projected on the constraints; not
  /// for virtual sites. Null in other runs.
  Vec3<double>* projected = nullptr;

  /// The value of SearchState::stale_at that makes a neighbour structure stale for the positions of a step.
  static DROPMD_HOST_DEVICE std::uint64_t stale_mark(std::uint64_t step) { return step + 2; }
  DROPMD_HOST_DEVICE bool searches() const { return displacement.state != nullptr; }

#if defined(__CUDACC__)
  /// Returns whether the neighbour structure serves the positions of `step`. Other tiles may be marking the structure
  /// as stale for the next step.
  __device__ bool search_serves(std::uint64_t step) const {
    const volatile SearchState& state = *displacement.state;
    const std::uint64_t stale = state.stale_at;
    return (stale != stale_mark(step) || stale == state.built_at) && state.full == 0;
  }

  /// Marks the neighbour structure as stale at `step` if the atom has moved too far since the build.
  __device__ void check_displacement(std::uint32_t index, const Vec3<double>& position, std::uint64_t step) const {
    const Vec3<double> d = position - displacement.reference[index];
    if (!(dot(d, d) <= displacement.max_move2))  // NaN, too
      *static_cast<volatile std::uint64_t*>(&displacement.state->stale_at) = stale_mark(step);
  }

  /// Returns the arguments of one-body terms for the atom at `index` at a step. Charge and id are addresses, so that
  /// only a term that acts reads them.
  __device__ AtomPoint point(std::uint32_t index, const Vec3<double>& position, std::uint64_t step) const {
    return {position, atoms.charge + index, timestep * static_cast<double>(step), AtomId(atoms.host_index + index, id)};
  }

  /// Returns the atom with the force on it from all but one-body terms.
  __device__ MovingAtom load_without_fields(std::uint32_t index) const {
    const std::uint32_t host_index = atoms.host_index[index];
    return {.position = atoms.position[index],
            .velocity = atoms.velocity[index],
            .force = sums.get(index),
            .mass = atoms.mass[index],
            .key = id != nullptr ? id[host_index] - 1 : host_index,
            .in_bath = !bath_of_part || (atoms.groups[index] & field::kInBath) != 0};
  }
  /// Returns the atom, which is not a virtual site, with the whole force on it at `step`.
  __device__ MovingAtom load_atom(std::uint32_t index, std::uint64_t step) const {
    MovingAtom atom = load_without_fields(index);
    atom.force = with_fields(atom.force, index, atom.position, step);
    return atom;
  }

  /// With a neighbour structure: prepares the forces on an atom that has moved to step `to`. kFill: also in its tile,
  /// if forces are computed from tiles.
  template <bool kFill>
  __device__ void prepare_forces(std::uint32_t index, const Vec3<double>& position, std::uint64_t to) const {
    sums.clear(index);
    check_displacement(index, position, to);
    if (kFill && fills_tiles) fill_atom_in_frame(tiles, index, tiles.frame[index / kTileAtoms].centre, position);
  }

  /// Starts to load what prepare_forces() reads, since a long computation comes in between.
  template <bool kFill>
  __device__ void prefetch_for_forces(std::uint32_t index) const {
    prefetch(&displacement.reference[index].x);
    prefetch(&displacement.reference[index].z);
    if (kFill && fills_tiles) prefetch(&tiles.frame[index / kTileAtoms].centre);
  }

  /// Starts to load the charge and the species of the atom at `index`.
  __device__ void prefetch_kind(std::uint32_t index) const {
    prefetch(atoms.charge + index);
    prefetch(atoms.pair_species + index);
  }

  /// Whether the atom at `index` is a member of the droplet.
  __device__ bool in_droplet(std::uint32_t index) const { return (atoms.groups[index] & field::kInDroplet) != 0; }

  /// Whether the atom at `index` is a virtual site.
  __device__ bool is_site(std::uint32_t index) const { return has_sites && atoms.mass[index] == 0; }

  /// Returns the whole force on the atom at `index`: that of one-body terms added to that of all others. Not for
  /// virtual sites: the force on them acts on their parents, whose sums have it already.
  __device__ Vec3<double> with_fields(const Vec3<double>& force, std::uint32_t index, const Vec3<double>& position,
                                      std::uint64_t step) const {
    return force + fields.force(point(index, position, step));
  }

  /// Adds to the bookings of the atom at `index`. Only one thread adds to an address, so that its additions keep their
  /// order; the atomic instruction is used because nothing waits for it.
  __device__ void book(double* booked, std::uint32_t index, double energy) const {
    atomicAdd(booking_of(booked, index), energy);
  }
  /// Books the energy that a bath gave to the atom.
  __device__ void book_heat(MovingAtom& atom, std::uint32_t index) const {
    book(ledger.bath, index, atom.heat);
    atom.heat = 0;
  }

  /// Performs the integrator's first part, with the bookings and the check of account_for_move().
  template <class Motion>
  __device__ void move_atom(const Motion& motion, MovingAtom& atom, std::uint32_t index, std::uint64_t to) const {
    const Vec3<double> before = atom.position;
    motion.move(atom, to);
    account_for_move<Motion>(atom, before, index, to);
  }

  /// Books the energy that the atom at `index` received from a bath and from oscillating fields in the move from
  /// `before` to step `to`, and checks the distance; returns true if it is too long. Called by one thread per atom.
  template <class Motion>
  __device__ bool account_for_move(MovingAtom& atom, const Vec3<double>& before, std::uint32_t index,
                                   std::uint64_t to) const {
    if constexpr (Motion::kBath && !Motion::kGloballyCoupled)
      if (ledger.bath != nullptr) book_heat(atom, index);
    if (ledger.field != nullptr)
      book_driven_work(called_fields, point(index, before, to - 1), point(index, atom.position, to),
                       booking_of(ledger.field, index));
    const Vec3<double> d = atom.position - before;
    const bool too_far = !(dot(d, d) <= longest_move2);  // NaN, too
    if (too_far) sums.errors.report(static_cast<std::uint8_t>(MoveFault::too_far), atom.key);
    return too_far;
  }

  /// Books the energy that a virtual site received from oscillating fields when it was placed at step `to`.
  __device__ void book_site(std::uint32_t index, const Vec3<double>& before, const Vec3<double>& after,
                            std::uint64_t to) const {
    if (ledger.field != nullptr)
      book_driven_work(called_fields, point(index, before, to - 1), point(index, after, to),
                       booking_of(ledger.field, index));
  }

  /// Books the change of the one-body energy of the atom at `index` when recentring moves it at a step.
  __device__ void book_shift(std::uint32_t index, const Vec3<double>& from, const Vec3<double>& to,
                             std::uint64_t step) const {
    if (ledger.recentring != nullptr)
      book_energy_change(called_fields, point(index, from, step), point(index, to, step),
                         booking_of(ledger.recentring, index));
  }

 private:
  static __device__ void prefetch(const void* at) { asm volatile("prefetch.global.L1 [%0];" ::"l"(at)); }
  __device__ double* booking_of(double* booked, std::uint32_t index) const { return booked + atoms.host_index[index]; }

  // Members that only few runs need.
  static __device__ DROPMD_OUTLINED void book_driven_work(const AtomTerms* terms, AtomPoint from, AtomPoint to,
                                                          double* booked) {
    atomicAdd(booked, terms->driven_work(from, to));
  }
  static __device__ DROPMD_OUTLINED void book_energy_change(const AtomTerms* terms, AtomPoint from, AtomPoint to,
                                                            double* booked) {
    atomicAdd(booked, terms->energy_change(from, to));
  }
#endif
};

}  // namespace dropmd
