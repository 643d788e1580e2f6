#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/execution.h"
#include "core/forms/form.h"
#include "core/raw_vector.h"
#include "core/run/choices.h"
#include "core/run/map_grid.h"
#include "maps/mesh/map_mesh.h"

/// Electrostatic potential maps: V(p) = k_e Σ q_i u(max(|p − r_i|, d_min)) at the points p of a grid.
namespace dropmd {

/// The definition of a map.
struct MapModel {
  /// u: "exact" (1/r, all atoms: direct summation), or "cut", "shift", "smoothed", "reaction-field" with their keys:
  /// cutoff summation.
  FormChoice coulomb{"exact"};
  double coulomb_constant = 1;  ///< k_e in the units of the map, to which the map is proportional
  /// d_min, positive, length: closer atoms count as if they were at d_min, and their field as 0.
  double nearest = 0.1;
  bool field = false;  ///< whether to compute E = −∇V, too
  /// For the form "exact": a particle mesh of a given accuracy instead of direct summation; nullopt: none.
  std::optional<MapMesh> mesh{};
};

/// Returns the forms of a map, as the run file's [coulomb] describes them.
FormList map_forms();

/// Throws InputError if the model is not one of map_forms(), if nearest is not positive or not below the cutoff, or if
/// a mesh has a form with a cutoff.
void require_map_model(const MapModel& model);

/// The charges of a map; both arrays: [n_atoms]. Neutral atoms have no effect.
struct MapCharges {
  std::span<const Vec3<double>> position;
  std::span<const double> charge;
};

/// The result of a MapSum.
struct MapValues {
  RawVector<double> potential;          ///< [n_points], by index of the point
  std::vector<Vec3<double>> field;      ///< [n_points][3], or empty
  std::uint64_t near_points = 0;        ///< number of points closer than d_min to an atom
  std::uint64_t evaluations = 0;        ///< number of distances computed, including those of idle lanes
  std::optional<MapMeshResult> mesh{};  ///< of a map by a mesh
};

/// Called from time to time with the number of points done so far and the number of all points; returning false stops
/// the work.
using MapProgress = std::function<bool(std::size_t done, std::size_t of)>;

/// Thrown when a MapProgress stops a map.
struct MapStopped {};

/// A method to compute maps. Results are bitwise identical for any number of threads.
class MapSum {
 public:
  virtual ~MapSum() = default;
  /// Computes a map. Throws DeviceError, and MapStopped if `progress` returns false.
  virtual MapValues compute(const MapGrid& grid, MapCharges charges, const MapProgress& progress = {}) = 0;
  /// Seconds that the kernels of the last map took on a device; zero on the CPU.
  virtual double device_seconds() const { return 0; }
};

/// Constructs the computation of maps on the CPU. Throws InputError as require_map_model().
std::unique_ptr<MapSum> make_map_sum(Cpu cpu, Precision precision, const MapModel& model);

}  // namespace dropmd
