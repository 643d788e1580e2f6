#pragma once

#include <cstdint>
#include <optional>

#include "core/form.h"
#include "core/units.h"
#include "core/vec3.h"

namespace dropmd {

/// The unit of a map's potential. Fields are in the same per length.
enum class MapUnit {
  energy,   ///< of the run's units, per charge: kcal/mol/e
  thermal,  ///< kT/e at a temperature
  volt,     ///< units `real` only
};

enum class MapMethod { cutoff, direct };

/// A map as a user describes it.
struct MapChoices {
  FormChoice coulomb{"exact"};  ///< "exact": direct summation; else a form of the cutoff summation
  Vec3<double> spacing{0.5, 0.5, 0.5};
  double padding = 5;                          ///< of the grid round the atoms, where no points are given
  std::optional<Vec3<double>> origin{};        ///< of point (0, 0, 0); with points
  std::optional<Vec3<std::int32_t>> points{};  ///< along each axis
  double nearest = 0.1;                        ///< d_min, length
  bool field = false;
  MapUnit unit = MapUnit::energy;
  std::optional<double> temperature{};  ///< of MapUnit::thermal

  MapMethod method() const { return coulomb.form == "exact" ? MapMethod::direct : MapMethod::cutoff; }
};

/// Default lengths of maps.
struct MapLengths {
  double spacing, padding, nearest, cutoff;
};
/// In A; in units lj as if sigma were 2.5 A, but for round numbers.
constexpr MapLengths default_map_lengths(UnitSystem units) {
  return units == UnitSystem::real ? MapLengths{0.5, 5.0, 0.1, 12.0} : MapLengths{0.2, 2.0, 0.04, 5.0};
}

}  // namespace dropmd
