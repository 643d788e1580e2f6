#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "core/particle_fields.h"
#include "core/run/choices.h"
#include "core/run/droplet_state.h"
#include "core/run/ledger.h"
#include "core/run/method_choice.h"
#include "core/vec3.h"

namespace dropmd {

/// The state of a run on a GPU besides its atoms: their order in memory, on which the rounding of forces depends, and
/// when the atoms are reordered.
struct DeviceOrder {
  /// [n_atoms] index in Particles, by storage index; empty: the run was not on a GPU.
  std::vector<std::uint32_t> host_index{};
  /// Force sums in fixed point, by storage index; the number of words per atom depends on precision.
  std::vector<std::uint64_t> force_sums{};
  std::int64_t force_scale = 0;  ///< exponent of two of the fixed point
  Vec3<double> anchor{};         ///< a point near most of the atoms, length
  /// Step of the last reordering, steps between two, step of the next one; number of reorderings.
  std::int64_t sorted_at = 0, sort_interval = 0, sort_at = 0, sortings = 0;
  /// [n_atoms][3] in fp32: positions at the last reordering, relative to sorted_anchor.
  std::vector<Vec3<double>> sorted_positions{};
  Vec3<double> sorted_anchor{};  ///< origin of sorted_positions, length
};

/// A complete step of a run and everything needed to continue from it. Units are the run's; arrays are in the order of
/// Particles. The base class has the per-atom fields of the state: positions, velocities and ids.
struct RunState : FieldVectors<IsInState> {
  std::int64_t step = 0;      ///< number of the step
  std::size_t n_dof = 0;      ///< degrees of freedom, as counted at the start or at the last change of the population
  std::uint32_t next_id = 0;  ///< Particles::next_id
  std::vector<double> integrator_state{};  ///< internal state of the integrator
  /// Energy that baths and actions gave to each atom, for each cause that the run has.
  Bookings booked{};
  /// Energy that is booked but belongs to no present atom: the causes that are booked for the whole system, as far as
  /// the run has them, and what baths and actions gave to atoms that were removed.
  Ledger carried{};
  /// The droplet so far; from the first labels of a run with [droplet].
  std::optional<DropletState> droplet{};

  /// How the steps were computed. A run that resumes in the same way continues bitwise identically with the members
  /// below; one that resumes in another way computes the forces again.
  Backend backend = Backend::cpu;
  Precision precision = Precision::mixed;
  MethodChoice choice{};              ///< neighbour method
  std::vector<Vec3<double>> force{};  ///< [n_atoms][3] energy/length
  /// [n_atoms][3] positions at which the kept list was built; empty: none is kept.
  std::vector<Vec3<double>> list_positions{};
  /// What force terms have kept from earlier positions, such as where a mesh lies (ForceTerm::state()), in the order of
  /// the terms; empty: nothing, or the run was made by a version without such terms.
  std::vector<std::vector<double>> term_states{};
  DeviceOrder device{};  ///< order of the atoms on a GPU
};

}  // namespace dropmd
