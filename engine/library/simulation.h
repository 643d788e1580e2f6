#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "core/run/droplet_rows.h"
#include "core/run/energies.h"
#include "core/run/run_settings.h"
#include "core/run/run_state.h"
#include "engine/device/device_arrays.h"
#include "engine/droplet/clusters.h"
#include "engine/model/system.h"
#include "engine/population/molecule_addition.h"
#include "engine/population/molecule_replacement.h"
#include "engine/population/population_change.h"
#include "inputs/run_file/run_config.h"
#include "inputs/structures/structure.h"

namespace dropmd {

/// A droplet that is simulated in memory: no file is read or written, and nothing is printed. It performs the same
/// steps as `dropmd run` with the same model and settings, bitwise identically, however they are divided among calls of
/// step().
///
///     Simulation simulation(build_system(config, structure), config);
///     while (simulation.step_number() < 10'000) {
///       simulation.step(100);
///       std::cout << simulation.energies().total() << '\n';
///     }
///
/// Units are those of the system (core/units.h). Arrays are `[n_atoms][3]` in the order of the structure; added atoms
/// follow in the order of their ids. Views stay valid until the next call of a non-const function. A simulation belongs
/// to one thread at a time, whose team (core/thread_team.h) has `threads` threads.
/// Errors are exceptions (core/errors.h). Besides those named below, the constructor throws InputError for a model or
/// method that do not fit, and any function may throw DeviceError for a GPU that fails or is missing.
class Simulation {
 public:
  /// settings: integrator, seed, recentring, processor, precision, method and labels of clusters; `steps` is not used.
  /// What they do to all atoms in conflict with a force term is added to system().warnings. Throws PhysicsError for
  /// overlapping atoms, std::invalid_argument for settings that a run file could not have, such as a negative timestep,
  /// for particles whose arrays have different lengths, and for an integrator or an interval of recentring that does
  /// not suit slow forces.
  Simulation(System system, const RunSettings& settings);
  ~Simulation();
  Simulation(Simulation&&) noexcept;
  Simulation& operator=(Simulation&&) noexcept;

  /// Performs n steps; a minimiser may stop earlier. Returns whether a minimiser has reached its minimum. stop: is
  /// asked between steps, several times a second; if it returns true, the call ends at an earlier step, which is
  /// complete. With [droplet], clusters are labelled at each step that its interval divides, and what follows from the
  /// labels, such as the removal of distant clusters, is done when steps go on from there, as in a run, so such
  /// clusters are still present at the last step. Throws std::invalid_argument for n < 0 and if the last step would be
  /// between two outer steps of a system with slow forces (System::outer), and PhysicsError for a step whose result is
  /// not finite or not possible. After an exception other than std::invalid_argument only restore() may follow; other
  /// functions throw std::logic_error.
  bool step(
      std::int64_t n, const std::function<bool()>& stop = [] { return false; });

  /// Number of the present step; 0 at the start.
  std::int64_t step_number() const;
  /// Time at the present step, in the run's time unit; 0 for a minimiser.
  double time() const;
  /// Present number of atoms.
  std::size_t n_atoms() const;

  /// Positions, length.
  std::span<const Vec3<double>> positions() const;
  /// Velocities, length/time.
  std::span<const Vec3<double>> velocities() const;
  /// Forces of all terms at positions(), energy/length.
  std::span<const Vec3<double>> forces();
  /// Energies of the present step, in the run's energy unit: Energies::of() for one term, and potential(), kinetic and
  /// total().
  Energies energies();
  /// Kinetic temperature of the present step: twice the kinetic energy, divided by the degrees of freedom and
  /// Boltzmann's constant.
  double temperature();
  /// Energy that came in from outside since step 0, by cause: from baths, oscillating fields, recentring and removal of
  /// momentum, and with atoms that were removed or added. Ledger::causes has the causes of this simulation, `removed`
  /// and `added` from the first change of its atoms on. Changes by set_positions() and set_velocities() are not booked.
  Ledger ledger();
  /// energies().total() - ledger().total(), which is constant except for the error of the integrator.
  double conserved();
  /// The clusters of molecules at positions(), and the droplet. link_distance: length; nullopt: that of [droplet], else
  /// the usual one. Throws std::invalid_argument for one that is not a length greater than 0.
  ClusterCensus clusters(std::optional<double> link_distance = std::nullopt) const;
  /// Returns what happened to the droplet since the last call, in the order of events.csv: which molecules left it,
  /// joined it, and were removed. There are events only with [droplet]; restore() drops those that were not taken.
  std::vector<DropletEvent> take_events();
  /// The model with its present atoms. Valid as long as the simulation; its positions and velocities are those of the
  /// present step.
  const System& system() const;
  /// The atoms in the memory of the GPU that performs the steps; nullopt on a CPU, and before the first call of step();
  /// step(0) suffices. The addresses stay the same until atoms are removed or added, a state or values are set, or the
  /// method changes.
  std::optional<DeviceArrays> device_arrays();

  /// Sets the positions of all atoms. They are then moved to satisfy constraints, if there are any, and virtual sites
  /// are placed; the step number does not change. Throws std::invalid_argument for a wrong number
  /// of values, and PhysicsError for values that are not finite or atoms that overlap; the simulation is then
  /// unchanged.
  void set_positions(std::span<const Vec3<double>> positions);
  /// Sets the velocities of all atoms, in the same way; those along constraints are removed.
  void set_velocities(std::span<const Vec3<double>> velocities);

  /// Removes the atoms with these ids (Particles::id_of), in any order. The remaining atoms keep their ids and their
  /// order. Step number, time and the integrator's internal state continue, and random numbers follow the ids; degrees
  /// of freedom and method are determined again. Returns what was removed. Throws as changed()
  /// (engine/population/population_change.h); the simulation is then unchanged.
  PopulationBooking remove(std::span<const std::uint32_t> ids);
  /// Adds atoms, which get the next unused ids in this order. Everything else is as for remove(). Returns what was
  /// added. Throws as changed(), and PhysicsError for atoms that overlap; the simulation is then unchanged.
  PopulationBooking add(std::span<const NewAtom> atoms);
  /// Adds molecules of kinds that the topology has, whose atoms follow all others and get the next unused ids in this
  /// order. Everything else is as for add(). Throws as with_added() (engine/population/molecule_addition.h), and
  /// PhysicsError for atoms that overlap; the simulation is then unchanged.
  PopulationBooking add_molecules(std::span<const NewMolecule> molecules);

  /// Turns molecules into others, such as hydronium ions into waters, in their places in the order of atoms. Atoms that
  /// remain keep their ids, positions and velocities; see MoleculeReplacement. Everything else is as for remove(); the
  /// energy is booked as that of added atoms. Returns the atoms that the molecules have now, with the gains in mass,
  /// charge and energy. Throws as replaced(), and PhysicsError for atoms that overlap; the simulation is then
  /// unchanged.
  PopulationBooking replace(std::span<const MoleculeReplacement> replacements);

  /// The state of the present step, on which alone the following steps depend.
  RunState state();
  /// Continues from a state of the same atoms, bitwise identically if processor, precision and method are those of the
  /// state. Throws std::invalid_argument for a state of other atoms, and PhysicsError for one whose forces are not
  /// finite; the simulation is then unchanged. A mesh that has been refined since then stays refined.
  void restore(const RunState& state);

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

}  // namespace dropmd
