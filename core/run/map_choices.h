#pragma once

#include <cstdint>
#include <optional>

#include "core/forms/form.h"
#include "core/units.h"
#include "core/vec3.h"

namespace dropmd {

/// The unit of a map's potential. Fields have the same unit per length.
enum class MapUnit {
  energy,   ///< the run's energy unit per charge: kcal/mol/e in units `real`
  thermal,  ///< k_B T/e at a given temperature
  volt,     ///< volt; units `real` only
};

/// How a map is computed: charges within a cutoff, all charges directly, or all charges by a particle mesh.
enum class MapMethod { cutoff, direct, mesh };

/// The settings of a potential map.
struct MapChoices {
  FormChoice coulomb{"exact"};           ///< "exact": all charges; otherwise a form of the cutoff summation
  std::optional<double> accuracy{};      ///< of a mesh for all charges: RMS error over RMS potential; nullopt: no mesh
  Vec3<double> spacing{0.5, 0.5, 0.5};   ///< distance of grid points along each axis, length
  double padding = 5;                    ///< margin of the grid around the atoms, length; used when no points are given
  std::optional<Vec3<double>> origin{};  ///< position of point (0, 0, 0), length; given together with points
  std::optional<Vec3<std::int32_t>> points{};  ///< number of points along each axis
  double nearest = 0.1;                 ///< smallest distance at which a charge counts (d_min), length; docs/maps.md
  bool field = false;                   ///< whether the electric field is computed too
  MapUnit unit = MapUnit::energy;       ///< unit of the potential
  std::optional<double> temperature{};  ///< for MapUnit::thermal, in the run's temperature unit

  /// The method that follows from the Coulomb form and the accuracy.
  MapMethod method() const {
    if (coulomb.form != "exact") return MapMethod::cutoff;
    return accuracy ? MapMethod::mesh : MapMethod::direct;
  }
};

/// The accuracy of maps by a mesh: the range, its finest value in mixed precision, and the default.
inline constexpr double kFinestMap = 1e-10, kFinestMixedMap = 1e-5, kCoarsestMap = 1e-2, kUsualMapAccuracy = 1e-4;

/// Default lengths of maps, in the run's length unit.
struct MapLengths {
  double spacing, padding, nearest, cutoff;
};
/// Returns the defaults in Å; in units lj rounded values for σ of about 2.5 Å.
constexpr MapLengths default_map_lengths(UnitSystem units) {
  return units == UnitSystem::real ? MapLengths{0.5, 5.0, 0.1, 12.0} : MapLengths{0.2, 2.0, 0.04, 5.0};
}

}  // namespace dropmd
