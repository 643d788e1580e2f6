#include "engine/jobs/place_ions.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <cstdint>

namespace dropmd {

namespace {

/// The grid points at which an ion may still be placed.
class FreePoints {
 public:
  explicit FreePoints(const MapGrid& grid) : grid_(grid), free_(grid.n_points(), 1) {}

  bool operator[](std::size_t point) const { return free_[point] != 0; }

  /// Excludes the points closer than `distance` to a place.
  void keep_away(const Vec3<double>& place, double distance) {
    const auto range = [&](double x, double origin, double spacing, std::int32_t points) {
      const double low = std::ceil((x - distance - origin) / spacing),
                   high = std::floor((x + distance - origin) / spacing);
      const double end = points;
      return std::pair{static_cast<std::int32_t>(std::clamp(low, 0.0, end)),
                       static_cast<std::int32_t>(std::clamp(high + 1, 0.0, end))};
    };
    const auto [x0, x1] = range(place.x, grid_.origin.x, grid_.spacing.x, grid_.points.x);
    const auto [y0, y1] = range(place.y, grid_.origin.y, grid_.spacing.y, grid_.points.y);
    const auto [z0, z1] = range(place.z, grid_.origin.z, grid_.spacing.z, grid_.points.z);
    for (std::int32_t k = z0; k < z1; ++k)
      for (std::int32_t j = y0; j < y1; ++j)
        for (std::int32_t i = x0; i < x1; ++i)
          if (norm(grid_.at(i, j, k) - place) < distance) free_[grid_.number(i, j, k)] = 0;
  }

 private:
  const MapGrid& grid_;
  std::vector<std::uint8_t> free_;
};

Vec3<double> place_of(const MapGrid& grid, std::size_t point) {
  const auto nx = static_cast<std::size_t>(grid.points.x), ny = static_cast<std::size_t>(grid.points.y);
  return grid.at(static_cast<std::int32_t>(point % nx), static_cast<std::int32_t>(point / nx % ny),
                 static_cast<std::int32_t>(point / nx / ny));
}

}  // namespace

std::vector<PlacedIon> place_ions(const Method& method, const MapChoices& choices, const Units& units,
                                  const Particles& atoms, const IonRecipe& recipe, const MapProgress& progress) {
  const MapGrid grid = map_grid(choices, atoms.position);
  require_map_memory(grid, /*field=*/false);
  MapModel model = map_model(choices, units);
  const auto sum = make_map_sum(method, model);
  model.mesh.reset();
  const auto of_one = make_map_sum(method, model);
  RawVector<double> potential = sum->compute(grid, {atoms.position, atoms.charge}, progress).potential;
  FreePoints free(grid);
  const auto report = [&] {
    if (progress && !progress(grid.n_points(), grid.n_points())) throw MapStopped{};
  };
  for (const Vec3<double>& atom : atoms.position) {
    free.keep_away(atom, recipe.distance);
    report();
  }

  std::vector<PlacedIon> ions;
  while (ions.size() < recipe.count) {
    report();
    std::size_t best = potential.size();
    for (std::size_t p = 0; p < potential.size(); ++p) {
      if (!free[p]) continue;
      if (best == potential.size() || recipe.charge * potential[p] < recipe.charge * potential[best]) best = p;
    }
    if (best == potential.size())
      throw InputError(
          fmt::format("there is no place for ion {}: no point of the map is at least {:g} {} from all atoms and {:g} "
                      "{} from all ions (use a shorter distance, more padding, or fewer ions)",
                      ions.size() + 1, recipe.distance, units.length, recipe.ion_distance, units.length));
    const PlacedIon ion{place_of(grid, best), potential[best]};
    ions.push_back(ion);
    free.keep_away(ion.position, recipe.ion_distance);
    if (ions.size() == recipe.count) break;
    const RawVector<double> own = of_one->compute(grid, {{&ion.position, 1}, {&recipe.charge, 1}}).potential;
    for (std::size_t p = 0; p < potential.size(); ++p) potential[p] += own[p];
  }
  return ions;
}

}  // namespace dropmd
