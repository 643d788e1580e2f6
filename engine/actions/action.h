#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <limits>
#include <string_view>
#include <variant>

#include "core/execution.h"
#include "core/particles.h"
#include "core/run/run_settings.h"
#include "engine/device/ordering/reorder_interval.h"

/// What is done to the atoms at some steps besides integrating and computing forces. An action is a small struct that
/// defines at which steps it is due (from step 0), at which stage of a step (engine/step/one_step.h), on which
/// processors it exists, and whether the host must wait for its result. on_host() performs it on the CPU; on a GPU,
/// DeviceRun does.
namespace dropmd {

/// The stage of a step at which an action is performed.
enum class StepStage : std::uint8_t {
  moved,    ///< the atoms are at new positions, which nothing has read yet
  finished  ///< the velocities are those of the step
};

/// The processors on which an action exists.
enum class ActionProcessors : std::uint8_t { all, gpu };

/// Returned by next_due() if there is no such step.
inline constexpr std::int64_t kNeverDue = std::numeric_limits<std::int64_t>::max();

/// An action that is due at multiples of a step number.
struct AtInterval {
  std::int64_t every;  ///< steps, not 0

  bool due(std::int64_t step) const { return step % every == 0; }
  std::int64_t next_due(std::int64_t after) const { return (after / every + 1) * every; }
};

/// Moves the centre to the origin. With `none` it does nothing, but a GPU still divides its steps into these intervals.
struct Recentring : AtInterval {
  static constexpr StepStage kStage = StepStage::moved;
  static constexpr ActionProcessors kProcessors = ActionProcessors::all;
  static constexpr bool kHostWaits = false;
  static constexpr std::string_view kTimings = "recentring";

  Recenter which;

  void on_host(Cpu cpu, Particles& particles) const;
};

/// Brings the atoms into spatial order in memory, at an interval that follows from how far they move. The host waits
/// meanwhile.
struct Sorting {
  static constexpr StepStage kStage = StepStage::moved;
  static constexpr ActionProcessors kProcessors = ActionProcessors::gpu;
  static constexpr bool kHostWaits = true;

  const ReorderInterval* reordering;  ///< of the run

  bool due(std::int64_t step) const { return step == reordering->next; }
  std::int64_t next_due(std::int64_t after) const { return reordering->next > after ? reordering->next : kNeverDue; }
};

/// Determines the scale of the force sums on a GPU (forces/force_scale.h) anew while the forces are computed: when the
/// atoms are reordered, and at steps 100, 200, 400 and so on. Forces may change most at the start; later they change as
/// fast as the atoms move.
struct ForceScaling {
  static constexpr StepStage kStage = StepStage::moved;
  static constexpr ActionProcessors kProcessors = ActionProcessors::gpu;
  static constexpr bool kHostWaits = false;  // computing the forces waits

  const ReorderInterval* reordering;  ///< of the run

  bool due(std::int64_t step) const {
    return step == reordering->next ||
           (step % kSortGrid == 0 && std::has_single_bit(static_cast<std::uint64_t>(step / kSortGrid)));
  }
  std::int64_t next_due(std::int64_t after) const {
    const std::uint64_t doubled = std::bit_ceil(static_cast<std::uint64_t>(after / kSortGrid) + 1);
    const std::int64_t next = kSortGrid * static_cast<std::int64_t>(doubled);
    return reordering->next > after ? std::min(next, reordering->next) : next;
  }
};

/// Removes centre-of-mass motion from the velocities, of all atoms or of the droplet's members.
struct MomentumRemoval : AtInterval {
  static constexpr StepStage kStage = StepStage::finished;
  static constexpr ActionProcessors kProcessors = ActionProcessors::all;
  static constexpr bool kHostWaits = false;
  static constexpr std::string_view kTimings = "recentring";

  RemoveMomentum which;
  bool of_droplet = false;

  void on_host(Cpu cpu, Particles& particles) const;
};

/// Any action.
using Action = std::variant<Recentring, Sorting, ForceScaling, MomentumRemoval>;

}  // namespace dropmd
