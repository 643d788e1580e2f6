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
#include "engine/device/reorder_interval.h"

/// What happens to the atoms at some steps, beside the integrator and the forces. An action is a small struct. It says
/// at which steps it is due (from 0 on), at which stage of a step (engine/step/one_step.h), on which processors it
/// exists, and whether the host must wait for what it finds. on_host() carries it out on the CPU; on a GPU, the run
/// there does.
namespace dropmd {

enum class StepStage : std::uint8_t {
  moved,    ///< the atoms are at new positions; nothing has been read of them yet
  finished  ///< the velocities are those of the step
};

enum class ActionProcessors : std::uint8_t { all, gpu };

inline constexpr std::int64_t kNeverDue = std::numeric_limits<std::int64_t>::max();

/// What is due at steps divisible by a number.
struct AtInterval {
  std::int64_t every;  ///< steps, not 0

  bool due(std::int64_t step) const { return step % every == 0; }
  std::int64_t next_due(std::int64_t after) const { return (after / every + 1) * every; }
};

/// The centre moves to the origin. With `none` it stays where it is, but steps on a GPU are still counted out in these
/// intervals.
struct Recentring : AtInterval {
  static constexpr StepStage kStage = StepStage::moved;
  static constexpr ActionProcessors kProcessors = ActionProcessors::all;
  static constexpr bool kHostWaits = false;
  static constexpr std::string_view kTimings = "recentring";

  Recenter which;

  void on_host(Cpu cpu, Particles& particles) const;
};

/// The atoms are brought into spatial order in memory, at an interval that follows from how far they have come: the
/// host waits to hear of it.
struct Sorting {
  static constexpr StepStage kStage = StepStage::moved;
  static constexpr ActionProcessors kProcessors = ActionProcessors::gpu;
  static constexpr bool kHostWaits = true;

  const ReorderInterval* reordering;  ///< of the run

  bool due(std::int64_t step) const { return step == reordering->next; }
  std::int64_t next_due(std::int64_t after) const { return reordering->next > after ? reordering->next : kNeverDue; }
};

/// The scale of the force sums on a GPU (forces/force_scale.h) is determined again, while the forces are computed: when
/// the atoms are sorted, and at steps 100, 200, 400 and so on, since forces may change most at the start, and later at
/// the speed of the atoms.
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

/// Centre-of-mass motion is taken out of the velocities.
struct MomentumRemoval : AtInterval {
  static constexpr StepStage kStage = StepStage::finished;
  static constexpr ActionProcessors kProcessors = ActionProcessors::all;
  static constexpr bool kHostWaits = false;
  static constexpr std::string_view kTimings = "recentring";

  RemoveMomentum which;

  void on_host(Cpu cpu, Particles& particles) const;
};

using Action = std::variant<Recentring, Sorting, ForceScaling, MomentumRemoval>;

}  // namespace dropmd
