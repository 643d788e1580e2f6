#include "engine/jobs/map_job.h"

#include <fmt/core.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>

#include "engine/bytes_text.h"
#include "forces/mesh/mesh_potential.h"
#include "maps/map_cuda.h"

namespace dropmd {

namespace {

// 2³⁰: blocks of points extend slightly beyond the last point.
constexpr double kMostAlongAxis = 1073741824.0;
constexpr double kLongestSpacing = 1e9;          // squares of distances within a block fit fp32
constexpr double kMostPoints = 1099511627776.0;  // 2⁴⁰: 8 TiB

struct Axis {
  double origin;
  double points;
};

/// Returns points at multiples of the spacing, from below `low` to above `high`.
Axis axis_round(double low, double high, double spacing) {
  const double first = std::floor(low / spacing), last = std::ceil(high / spacing);
  return {first * spacing, last - first + 1};
}

void require_countable(double nx, double ny, double nz) {
  const double most = std::max({nx, ny, nz}), all = nx * ny * nz;
  if (!(most <= kMostAlongAxis) || !(all <= kMostPoints))
    throw InputError(
        fmt::format("a map of {:.4g} x {:.4g} x {:.4g} points is too large (use a larger spacing or less padding, or "
                    "give the grid: an atom that is far away widens it)",
                    nx, ny, nz));
}

std::string per_charge(std::string_view energy, const Units& units) {
  return fmt::format("{}/{}", energy, units.system == UnitSystem::real ? "e" : "q");
}

}  // namespace

MapGrid map_grid(const MapChoices& choices, std::span<const Vec3<double>> position) {
  const Vec3<double>& h = choices.spacing;
  if (!(std::min({h.x, h.y, h.z}) > 0) || !is_finite(h))
    throw InputError("the spacing of a map is not positive (give a length such as 0.5)");
  if (std::max({h.x, h.y, h.z}) > kLongestSpacing)
    throw InputError(fmt::format("the spacing of a map is above {:g} (give a length such as 0.5)", kLongestSpacing));
  if (choices.points) {
    const Vec3<std::int32_t>& n = *choices.points;
    if (std::min({n.x, n.y, n.z}) < 1) throw InputError("a map has no points (give at least one along each axis)");
    require_countable(n.x, n.y, n.z);
    return {choices.origin.value_or(Vec3<double>{}), h, n};
  }
  if (position.empty()) throw InputError("there are no atoms to put a map around (give its origin and points)");
  if (!(choices.padding >= 0) || !std::isfinite(choices.padding))
    throw InputError("the padding of a map is negative (it must be at least 0)");
  Vec3<double> low = position.front(), high = low;
  for (const Vec3<double>& p : position) {
    low = {std::min(low.x, p.x), std::min(low.y, p.y), std::min(low.z, p.z)};
    high = {std::max(high.x, p.x), std::max(high.y, p.y), std::max(high.z, p.z)};
  }
  const double more = choices.padding;
  const Axis x = axis_round(low.x - more, high.x + more, h.x), y = axis_round(low.y - more, high.y + more, h.y),
             z = axis_round(low.z - more, high.z + more, h.z);
  require_countable(x.points, y.points, z.points);
  return {
      {x.origin, y.origin, z.origin},
      h,
      {static_cast<std::int32_t>(x.points), static_cast<std::int32_t>(y.points), static_cast<std::int32_t>(z.points)}};
}

double map_bytes(const MapGrid& grid, bool field) {
  return static_cast<double>(grid.n_points()) * (sizeof(double) + (field ? sizeof(Vec3<double>) : 0));
}

void require_map_memory(const MapGrid& grid, bool field, int copies) {
  const double there = static_cast<double>(::sysconf(_SC_PHYS_PAGES)) * static_cast<double>(::sysconf(_SC_PAGESIZE));
  const double needed = copies * map_bytes(grid, field);
  if (there > 0 && needed > there)
    throw InputError(
        fmt::format("a map of {} x {} x {} points needs {:.4g} GB of memory, but this machine has {:.4g} GB (use a "
                    "larger spacing or less padding, or compute parts of it with --origin and --points)",
                    grid.points.x, grid.points.y, grid.points.z, needed / 1e9, there / 1e9));
}

MapModel map_model(const MapChoices& choices, const Units& units) {
  MapModel model;
  model.coulomb = choices.coulomb;
  model.nearest = choices.nearest;
  model.field = choices.field;
  model.coulomb_constant = units.coulomb;
  // 1 A, and as much in other units.
  if (choices.accuracy) model.mesh = MapMesh{*choices.accuracy, 10 * default_map_lengths(units.system).nearest};
  if (choices.unit == MapUnit::volt) {
    if (units.system != UnitSystem::real) throw InputError("a potential in volts needs units \"real\"");
    model.coulomb_constant *= kVoltPerEnergy;
  } else if (choices.unit == MapUnit::thermal) {
    if (!choices.temperature || !(*choices.temperature > 0))
      throw InputError("a potential in kT needs a temperature above zero (--temperature T)");
    model.coulomb_constant /= units.boltzmann * *choices.temperature;
  }
  require_map_model(model);
  return model;
}

std::string map_unit(const MapChoices& choices, const Units& units) {
  switch (choices.unit) {
    case MapUnit::energy:
      return per_charge(units.energy, units);
    case MapUnit::thermal:
      return fmt::format("{} at {:g} {}", per_charge("kT", units), choices.temperature.value_or(0), units.temperature);
    case MapUnit::volt:
      return "V";
  }
  return {};
}

MapMeshPlan map_mesh_plan(const Method& method, const MapModel& model, const MapGrid& grid, MapCharges charges) {
  MapModel direct = model;
  direct.mesh.reset();
  MapModel wanted = model;
  wanted.mesh->precision = method.precision;
  return plan_map(method.cpu, wanted, grid, charges, *make_map_sum(method, direct),
                  method.backend == Backend::cuda ? kGpuMapMeshPrices : kCpuMapMeshPrices)
      .plan;
}

double map_seconds(const MapMeshPlan& plan, const Method& method) {
  return 1e-9 * plan.cost / (method.backend == Backend::cuda ? 1 : method.cpu.threads);
}

std::string describe(const MapMeshResult& mesh, const Units& units) {
  if (mesh.points[0] == 0) return "no mesh: all charges are summed directly, which is cheaper";
  const MeshParameters& p = mesh.parameters;
  return fmt::format("mesh of {} x {} x {} points: spacing {:.4g} {}, B-splines of order {}, pairs within {:.4g} {}{}",
                     mesh.points[0], mesh.points[1], mesh.points[2], p.spacing, units.length, p.order, p.cutoff,
                     units.length,
                     mesh.outside > 0 ? fmt::format(", {} charges outside, summed directly", mesh.outside) : "");
}

std::string describe(const MapMeshPlan& plan, const Method& method, const Units& units) {
  std::string text = describe(MapMeshResult{plan.parameters, plan.box.points, 0, plan.error, 0}, units);
  if (plan.empty()) return text;
  text += fmt::format(", estimated error {:.2g}, ", plan.error);
  return text + (method.backend == Backend::cuda
                     ? bytes_text(map_mesh_device_bytes(plan.box, method.precision)) + " on the GPU"
                     : bytes_text(MeshPotential::bytes(plan.box.points)));
}

std::unique_ptr<MapSum> make_map_sum(const Method& method, const MapModel& model) {
  if (method.backend == Backend::cuda) return make_map_sum_cuda(method.device, method.cpu, method.precision, model);
  return make_map_sum(method.cpu, method.precision, model);
}

namespace {

/// has_mesh: whether a mesh computes it; even if one is requested, it may not pay.
std::string map_title(const MapChoices& choices, const Units& units, bool has_mesh) {
  std::string title = "electrostatic potential, ";
  if (choices.coulomb.form == "exact") {
    title += has_mesh ? fmt::format("particle mesh of accuracy {:g}", *choices.accuracy) : "direct summation";
  } else {
    title += fmt::format("{} with cutoff {:g} {}", choices.coulomb.form, choices.coulomb.at("cutoff"), units.length);
    if (choices.coulomb.has("dielectric")) title += fmt::format(", dielectric {:g}", choices.coulomb.at("dielectric"));
  }
  return title + fmt::format(", no distance below {:g} {}", choices.nearest, units.length);
}

}  // namespace

PotentialMap potential_map(const MapChoices& choices, const Units& units, const MapGrid& grid, MapValues values) {
  const bool all_directly = values.mesh && values.mesh->points[0] == 0;
  return {grid,
          std::move(values.potential),
          std::move(values.field),
          map_unit(choices, units),
          std::string(units.length),
          map_title(choices, units, choices.accuracy && !all_directly)};
}

}  // namespace dropmd
