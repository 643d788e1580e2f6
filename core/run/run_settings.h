#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

#include "core/errors.h"
#include "core/forms/form.h"
#include "core/run/choices.h"
#include "core/run/droplet_settings.h"
#include "core/run/invariance.h"

namespace dropmd {

/// The centre that is moved to the origin at intervals: of the positions, of the masses, of the masses of the droplet's
/// members, or none.
enum class Recenter { geometric, mass, droplet, none };
/// Which momentum is removed, at the steps of recentring: of the droplet if that is recentred, else of the whole
/// system.
enum class RemoveMomentum { none, linear, angular, both };

/// Words for the atoms on which a bath acts.
inline constexpr std::string_view kAllAtoms = "all", kDropletAtoms = "droplet", kVapourAtoms = "vapour";

/// How the atoms move.
struct IntegrationSettings {
  FormChoice integrator;              ///< form and values, in the run's units
  std::uint64_t random_seed = 1;      ///< seed of all random numbers
  std::int64_t steps = 1000;          ///< length of a run; Simulation does not use it
  std::int64_t recenter_every = 100;  ///< steps between recentrings and removals of momentum; 0: never
  std::optional<Recenter> recenter;   ///< nullopt: recentring() decides
  RemoveMomentum remove_momentum = RemoveMomentum::none;  ///< momentum to remove
  /// What a bath acts on: kAllAtoms, kDropletAtoms, kVapourAtoms, or the molecules, or species, of a name.
  std::string applies_to{kAllAtoms};
  SourcePlace applies_to_place{};          ///< place of that key, for messages
  std::optional<DropletSettings> droplet;  ///< nullopt: no labels of clusters

  bool bath_acts_on_part() const { return applies_to != kAllAtoms; }
  /// Whether the steps depend on which atoms belong to the droplet.
  bool follows_droplet() const {
    return recenter == Recenter::droplet || applies_to == kDropletAtoms || applies_to == kVapourAtoms;
  }
};

/// Returns the centre that is moved to the origin: the chosen one; otherwise the geometric one, but none if a term,
/// such as a wall, is not invariant under translation, since the atoms would be moved against it. terms: the invariance
/// of all force terms (engine/model/invariance.h).
inline Recenter recentring(const IntegrationSettings& settings, const Invariance& terms) {
  return settings.recenter.value_or(terms.translation ? Recenter::geometric : Recenter::none);
}

/// Returns whether linear or angular momentum is removed.
inline bool removes_linear(RemoveMomentum which) {
  return which == RemoveMomentum::linear || which == RemoveMomentum::both;
}
inline bool removes_angular(RemoveMomentum which) {
  return which == RemoveMomentum::angular || which == RemoveMomentum::both;
}

class RunRanks;

/// Where, in which precision and by which method forces are computed.
struct ExecutionSettings {
  Backend backend = Backend::automatic;    ///< automatic: a GPU if there is a usable one
  Precision precision = Precision::mixed;  ///< arithmetic of pair terms
  int device = 0;                          ///< CUDA device number
  /// GPUs that perform the run together, the first of which is `device`; empty: that one alone.
  std::vector<int> devices{};
  /// The processes that perform the run together, each with its `device` or CPU; null: this one alone. No file sets it.
  RunRanks* ranks = nullptr;
  int multiprocessors = 0;  ///< the run's share of a GPU that others also use; 0: all of it
  int threads = 0;          ///< 0: one for every 500 atoms, at most as many as the process may use

  NeighborMethod neighbor = NeighborMethod::automatic;  ///< automatic: by rule
  SourcePlace neighbor_place{};                         ///< where a file names it, for messages; empty: none does
  std::optional<double> skin;  ///< length by which a list's cutoff exceeds the cutoff; nullopt: by rule
  bool tune = false;           ///< whether open choices are autotuned by measured step times instead of rules
  /// choices.csv of a run to replay, instead of method and skin; empty: none.
  std::filesystem::path choices;
};

/// What a simulation needs besides its model.
struct RunSettings : IntegrationSettings, ExecutionSettings {};

}  // namespace dropmd
