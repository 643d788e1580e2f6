#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "core/execution.h"
#include "core/run/energies.h"
#include "engine/model/system.h"
#include "neighbor/closest_pair.h"

namespace dropmd {

/// Stops a run whose physics broke before anything of that step is written. Every message has step, time, atom (its
/// id), position, force, nearest neighbour and its distance.
class PhysicsGuard {
 public:
  /// cpu: threads that check the atoms.
  explicit PhysicsGuard(const System& system, Cpu cpu = {});

  /// To be called at a start, and for atoms that are added at a later step. Throws PhysicsError if two atoms are closer
  /// than shortest_distance() or below the barrier of their Born-Mayer potential, or if a position or velocity is not
  /// finite.
  void check_start(std::int64_t step = 0, double time = 0) const;

  /// Stores the positions before a move.
  void before_move();
  /// Throws PhysicsError if an atom moved farther than longest_move(). force: before the move.
  void check_move(std::int64_t step, double time, std::span<const Vec3<double>> force) const;
  /// Throws PhysicsError if a position, velocity, force or energy is not finite; pairs below their barrier have a NaN
  /// force.
  void check_finite(std::int64_t step, double time, std::span<const Vec3<double>> force,
                    const Energies& energies) const;

  /// Half of the smallest r_min, or 1 Å with a topology if that is more; nullopt without a van der Waals term.
  std::optional<double> longest_move() const;
  /// A tenth of the smallest r_min; without a van der Waals term only atoms at the same position are refused.
  double shortest_distance() const;

 private:
  /// Returns the closest two atoms that are closer than shortest_distance() and should not be.
  std::optional<AtomPair> overlap() const;
  void check_barriers(std::int64_t step, double time) const;
  [[noreturn]] void fail(std::int64_t step, double time, std::size_t atom, std::span<const Vec3<double>> force,
                         const std::string& what) const;

  const System& system_;
  Cpu cpu_;
  std::vector<Vec3<double>> before_;
};

}  // namespace dropmd
