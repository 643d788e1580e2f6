#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>

#include "core/vec3.h"
#include "engine/methods/method.h"
#include "engine/model/system.h"

namespace dropmd {

/// Measures the error of a run's mesh, at its start and at intervals, and says what mesh the run is to have instead.
/// The forces on a sample of atoms are compared with direct sums over all pairs in fp64. At the start the mesh is
/// fitted to the measured error, since estimates, which assume charges at random places, are up to eight times too
/// large for regular ones; later it becomes finer if the error exceeds the accuracy.
///
/// What it decides depends only on the step, the forces at that step and the mesh. A run that resumes at a step of a
/// check therefore decides the same, since its checkpoint is of the state before the check. The spacing is reduced as
/// far as the error law requires, with its margin. If two refinements in a row do not suffice, something other than the
/// spacing causes the error, and the mesh stays as it is.
class MeshCheck {
 public:
  static constexpr std::int64_t kEvery = 10'000;  ///< steps between measurements, or a few more
  /// The first one after the start comes after the interval divided by this: a structure from a file may change soon.
  static constexpr std::int64_t kSooner = 10;
  static constexpr std::size_t kAtoms = 1024;  ///< evenly by index; all if there are fewer
  static constexpr int kMostRefinements = 2;

  using Say = std::function<void(std::int64_t step, const std::string& text)>;

  /// say: receives the results in words.
  explicit MeshCheck(Say say, std::int64_t every = kEvery) : say_(std::move(say)), every_(every) {}

  /// A complete step of a run.
  struct Seen {
    std::int64_t step;
    double time;                          ///< in the run's time unit
    std::span<const Vec3<double>> force;  ///< [n_atoms]
    const Method& method;                 ///< by which they were computed
  };

  /// Returns the first step to check at or after this step. outer: steps that can be checked.
  std::int64_t next_from(std::int64_t step, const OuterSteps& outer) const;

  /// Measures the error. system: of the run, with a mesh, whose notes on the measurement are updated. Returns the mesh
  /// that it is to have; nullopt if the present one can stay, or if refining it is of no use.
  std::optional<CoulombMesh> other(const Seen& now, System& system) const;

  /// Says by how much another mesh changes the energy of a step, energy.
  void say_change(std::int64_t step, double energy, const Units& units) const;

 private:
  std::optional<CoulombMesh> coarser(const Seen& now, const System& system, double error) const;
  std::optional<CoulombMesh> finer(const Seen& now, const System& system, double error, double rounding,
                                   const std::string& text) const;

  Say say_;
  std::int64_t every_;
};

}  // namespace dropmd
