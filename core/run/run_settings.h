#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>

#include "core/form.h"
#include "core/run/choices.h"

namespace dropmd {

enum class Recenter { geometric, mass, none };
enum class RemoveMomentum { none, linear, angular, both };

/// How the atoms move.
struct IntegrationSettings {
  FormChoice integrator;
  std::uint64_t random_seed = 1;
  std::int64_t steps = 1000;
  std::int64_t recenter_every = 100;  ///< 0: never
  std::optional<Recenter> recenter;   ///< none: recentring() says
  RemoveMomentum remove_momentum = RemoveMomentum::none;
};

/// The centre that moves to the origin: the one that was asked for; else none beside a term that is fixed in space,
/// such as a wall, against which the atoms would be moved, and the geometric one in empty space.
inline Recenter recentring(const IntegrationSettings& settings, bool fixed_in_space) {
  return settings.recenter.value_or(fixed_in_space ? Recenter::none : Recenter::geometric);
}

/// On what, in which precision and by which method forces are computed.
struct ExecutionSettings {
  Backend backend = Backend::automatic;
  Precision precision = Precision::mixed;
  int device = 0;
  int threads = 0;  ///< 0: all processors this process may use

  NeighborMethod neighbor = NeighborMethod::automatic;
  std::optional<double> skin;     ///< none: auto
  bool tune = false;              ///< what is open is chosen by the time that steps take, not by rule
  std::filesystem::path choices;  ///< choices.csv of a run to be made again, instead of method and skin; empty: none
};

/// What a simulation needs to know besides its model.
struct RunSettings : IntegrationSettings, ExecutionSettings {};

}  // namespace dropmd
