#pragma once

#include <cstdint>
#include <memory>
#include <span>

#include "core/run/energies.h"
#include "core/run/run_state.h"
#include "engine/model/system.h"
#include "engine/population/population_change.h"

namespace dropmd {

/// A droplet that is simulated in memory: no file is read or written, nothing is printed. It makes the same steps as
/// `dropmd run` with the same model and settings, bit by bit, however they are divided among calls of step().
///
///     Simulation simulation(build_system(config, structure), config);
///     while (simulation.step_number() < 10'000) {
///       simulation.step(100);
///       std::cout << simulation.energies().total() << '\n';
///     }
///
/// Units are those of the system (core/units.h); arrays are in the order of the structure, [n_atoms]. Views stay valid
/// until the next call that is not const. A simulation is for one thread at a time; it uses threads of its own.
/// Errors are exceptions (core/errors.h): InputError for a model or method that do not fit, PhysicsError for a step
/// that breaks, DeviceError for a GPU that fails or is not there.
class Simulation {
 public:
  /// settings: integrator, seed, recentring, processor, precision and method; `steps` is not used.
  /// Throws PhysicsError for overlapping atoms, std::invalid_argument for settings that a run file could not have, such
  /// as a negative timestep, and for particles whose arrays have different lengths.
  Simulation(System system, const RunSettings& settings);
  ~Simulation();
  Simulation(Simulation&&) noexcept;
  Simulation& operator=(Simulation&&) noexcept;

  /// Makes n steps, at least 0; a minimiser may make fewer. Returns whether a minimiser has reached its minimum.
  bool step(std::int64_t n);

  std::int64_t step_number() const;
  /// 0 for a minimiser.
  double time() const;
  std::size_t n_atoms() const;

  std::span<const Vec3<double>> positions() const;
  std::span<const Vec3<double>> velocities() const;
  /// Of all terms, at positions().
  std::span<const Vec3<double>> forces();
  /// Of the state as it is, by name (Energies::of); potential(), kinetic and total().
  Energies energies();
  double temperature();
  /// What came in from outside since step 0, by cause (core/run/ledger.h): from baths, oscillating fields, recentring,
  /// removal of momentum, and with atoms that were removed or added. causes: those that this simulation has; `removed`
  /// and `added` from the first change of its atoms on. What set_positions() and set_velocities() change is not booked.
  Ledger ledger();
  /// energies().total() less ledger().total(): constant but for the error of the integrator.
  double conserved();
  const System& system() const;

  /// Other positions or velocities, of all atoms, from the next step on; the step number goes on.
  /// Throws std::invalid_argument for another number of atoms, PhysicsError for values that are not finite.
  void set_positions(std::span<const Vec3<double>> positions);
  void set_velocities(std::span<const Vec3<double>> velocities);

  /// Atoms leave, by their ids (Particles::id_of), or are added; they get the next ids, which no atom had before. Steps
  /// and time go on, atoms that stay keep their ids and their order, and random numbers follow the ids. Returns what
  /// was taken or brought. Throws as changed() (engine/population/population_change.h), and PhysicsError for new atoms
  /// that overlap with others: the simulation is then as it was.
  PopulationBooking remove(std::span<const std::uint32_t> ids);
  PopulationBooking add(std::span<const NewAtom> atoms);

  /// All that the steps to come depend on.
  RunState state();
  /// Continues from a state of these atoms: bit by bit where processor, precision and method are the same. Throws
  /// std::invalid_argument for a state of others.
  void restore(const RunState& state);

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

}  // namespace dropmd
