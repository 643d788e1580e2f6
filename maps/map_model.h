#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "core/execution.h"
#include "core/form.h"
#include "core/raw_vector.h"
#include "core/run/choices.h"
#include "core/run/map_grid.h"

/// Electrostatic potential maps: V(p) = k_e Σ q_i u(max(|p − r_i|, d_min)) at the points p of a grid.
namespace dropmd {

/// What a map is a sum of.
struct MapModel {
  /// u: "exact" (1/r, all atoms: direct summation), or "cut", "shift", "smoothed", "reaction-field" with their keys:
  /// cutoff summation.
  FormChoice coulomb{"exact"};
  double coulomb_constant = 1;  ///< k_e, or k_e in the unit wanted: the map is proportional to it
  double nearest = 0.1;  ///< d_min, length, positive: nearer atoms count as if they were so far, their field as 0
  bool field = false;    ///< E = −∇V, too
};

/// The forms a map may have, as the run file's [coulomb] describes them.
FormList map_forms();

/// Throws InputError where the model is none of map_forms(), or nearest is not positive or not below the cutoff.
void require_map_model(const MapModel& model);

/// The charges; both arrays: [n_atoms]. Neutral atoms count for nothing.
struct MapCharges {
  std::span<const Vec3<double>> position;
  std::span<const double> charge;
};

struct MapValues {
  RawVector<double> potential;      ///< [n_points]
  std::vector<Vec3<double>> field;  ///< [n_points][3], or empty
  std::uint64_t near_points = 0;    ///< points nearer than d_min to an atom
  std::uint64_t evaluations = 0;    ///< pairs of an atom and a point whose distance was computed, idle lanes included
};

/// Called from time to time with the points done so far, of all; false stops the work.
using MapProgress = std::function<bool(std::size_t done, std::size_t of)>;

/// A map was stopped by its MapProgress.
struct MapStopped {};

/// One way to compute maps. The same bytes whatever the threads.
class MapSum {
 public:
  virtual ~MapSum() = default;
  /// Throws DeviceError; MapStopped where `progress` says so.
  virtual MapValues compute(const MapGrid& grid, MapCharges charges, const MapProgress& progress = {}) = 0;
  /// Time that the kernels of the last map took on a device; zero on the CPU.
  virtual double device_seconds() const { return 0; }
};

/// Throws InputError as require_map_model().
std::unique_ptr<MapSum> make_map_sum(Cpu cpu, Precision precision, const MapModel& model);

}  // namespace dropmd
