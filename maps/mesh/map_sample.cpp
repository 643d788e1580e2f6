#include "maps/mesh/map_sample.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "core/parallel_for.h"
#include "maps/sorted_charges.h"

namespace dropmd {

namespace {

constexpr std::int32_t kMostAlongAxis = 8;

/// Every `stride`-th of n points along an axis, in the middle of them.
struct AxisSample {
  std::int32_t first, stride, n;

  explicit AxisSample(std::int32_t points)
      : stride(std::max(1, points / kMostAlongAxis)), n(std::min(points, kMostAlongAxis)) {
    first = (points - 1 - stride * (n - 1)) / 2;
  }
};

}  // namespace

MapSample::MapSample(Cpu cpu, const MapGrid& grid, MapCharges charges, double apart) {
  const AxisSample x(grid.points.x), y(grid.points.y), z(grid.points.z);
  sample_ = {grid.at(x.first, y.first, z.first),
             {x.stride * grid.spacing.x, y.stride * grid.spacing.y, z.stride * grid.spacing.z},
             {x.n, y.n, z.n}};
  std::vector<Vec3<double>> place;
  for (std::int32_t k = 0; k < z.n; ++k)
    for (std::int32_t j = 0; j < y.n; ++j)
      for (std::int32_t i = 0; i < x.n; ++i) {
        const Vec3<std::int32_t> at{x.first + i * x.stride, y.first + j * y.stride, z.first + k * z.stride};
        point_.push_back(grid.number(at.x, at.y, at.z));
        place.push_back(grid.at(at.x, at.y, at.z));
      }
  counts_.assign(place.size(), 1);
  const SortedCharges atoms(cpu, charges, 3 * apart);
  parallel_for(cpu, place.size(), [&](std::size_t p) {
    atoms.visit_near({place[p], place[p]}, apart, [&](std::size_t begin, std::size_t end) {
      for (std::size_t a = begin; a < end; ++a)
        if (norm(atoms.atoms()[a].position - place[p]) < apart) counts_[p] = 0;
    });
  });
  if (std::find(counts_.begin(), counts_.end(), 1) == counts_.end()) counts_.assign(place.size(), 1);
}

template <class Add>
std::size_t MapSample::for_each(const Add& add) const {
  std::size_t n = 0;
  for (std::size_t k = 0; k < point_.size(); ++k) {
    if (counts_[k] == 0) continue;
    add(k);
    ++n;
  }
  return n;
}

double MapSample::rms() const {
  double sum = 0;
  const std::size_t n = for_each([&](std::size_t k) { sum += potential_[k] * potential_[k]; });
  return std::sqrt(sum / static_cast<double>(n));
}

double MapSample::error_of(std::span<const double> map) const {
  double sum = 0;
  const std::size_t n = for_each([&](std::size_t k) { sum += std::pow(map[point_[k]] - potential_[k], 2); });
  const double all = rms();
  return all > 0 ? std::sqrt(sum / static_cast<double>(n)) / all : 0;
}

SampledPlan plan_map(Cpu cpu, const MapModel& model, const MapGrid& grid, MapCharges charges, MapSum& direct,
                     const MapMeshPrices& prices) {
  MapSample sample(cpu, grid, charges, model.mesh->apart);
  sample.set_potential(direct.compute(sample.grid(), charges).potential);
  const MapSurroundings surroundings(grid, charges, model.nearest);
  const MapMeshPlan plan =
      plan_map_mesh(*model.mesh, grid, surroundings, sample.rms() / model.coulomb_constant, prices);
  return {std::move(sample), plan};
}

}  // namespace dropmd
