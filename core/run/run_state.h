#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "core/particle_fields.h"
#include "core/run/choices.h"
#include "core/run/ledger.h"
#include "core/run/method_choice.h"
#include "core/vec3.h"

namespace dropmd {

/// What a run on a GPU has beside its atoms: their order in memory, on which the rounding of forces depends, and when
/// it is rebuilt.
struct DeviceOrder {
  std::vector<std::uint32_t> host_index{};  ///< [n_atoms] by storage index; empty: of no run on a GPU
  std::vector<std::uint64_t> force_sums{};  ///< fixed point, by storage index; what an atom has depends on precision
  std::int64_t force_scale = 0;             ///< of the fixed point: an exponent of two
  Vec3<double> anchor{};                    ///< near most of the atoms
  std::int64_t sorted_at = 0, sort_interval = 0, sort_at = 0, sortings = 0;  ///< steps, and how often
  std::vector<Vec3<double>> sorted_positions{};  ///< [n_atoms] of fp32 each: where the atoms were when they were sorted
  Vec3<double> sorted_anchor{};                  ///< from where these count
};

/// A complete step of a run, and what it takes to go on from there. Units are the run's; arrays are in the order of
/// Particles. The per-atom fields of the state are in the base.
struct RunState : FieldVectors<IsInState> {
  std::int64_t step = 0;
  std::size_t n_dof = 0;      ///< degrees of freedom, as counted at the start or when atoms last left or were added
  std::uint32_t next_id = 0;  ///< as of Particles
  std::vector<double> integrator_state{};  ///< the integrator's internal state
  Bookings booked{};                       ///< by baths and actions; of every atom for a cause that the run has
  /// What was booked but belongs to no atom that is left: by baths and actions to atoms that were removed, and with
  /// atoms that were removed and added. None in a run whose population never changes.
  std::optional<CauseTotals> carried{};

  /// How the steps were made. A run that resumes in the same way has the same bytes as one that never stopped, by what
  /// follows; another one computes the forces again.
  Backend backend = Backend::cpu;
  Precision precision = Precision::mixed;
  MethodChoice choice{};
  std::vector<Vec3<double>> force{};
  std::vector<Vec3<double>> list_positions{};  ///< at which a list that is kept was built; empty: none is kept
  DeviceOrder device{};
};

}  // namespace dropmd
