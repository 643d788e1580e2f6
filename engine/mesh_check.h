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

/// Measures the error of a run's mesh, at its start and at intervals, and says what mesh is needed if the error exceeds
/// the accuracy: the forces of a sample of atoms against direct sums of all pairs in fp64.
///
/// What it decides is a function of the step, the forces at that step and the mesh, so that a run that resumes at a
/// step of a check, whose checkpoint is of the state before the check, decides the same. The spacing becomes smaller as
/// far as the error law says, with its margin. If two refinements in a row do not suffice, something else than the
/// spacing causes the error, and the mesh stays as it is.
class MeshCheck {
 public:
  static constexpr std::int64_t kEvery = 10'000;  ///< steps between measurements, or a few more
  static constexpr std::size_t kAtoms = 1024;     ///< evenly by index; all if there are fewer
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

  /// Outer steps divisible by this number, or by the next interval of outer steps, are checked.
  std::int64_t every() const { return every_; }

  /// Measures the error. system: of the run, with a mesh, whose count of refinements is updated. Returns the finer mesh
  /// that it needs; nullopt if it can stay, or if refining is of no use.
  std::optional<CoulombMesh> finer(const Seen& now, System& system) const;

  /// Says by how much another mesh changes the energy of a step, energy.
  void say_change(std::int64_t step, double energy, const Units& units) const;

 private:
  Say say_;
  std::int64_t every_;
};

}  // namespace dropmd
