#include "app/report/shown_atoms.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

namespace dropmd {

namespace {

using Cube = std::array<std::int64_t, 3>;

Cube cube_of(const Vec3<double>& r, double edge) {
  const auto along = [&](double x) { return static_cast<std::int64_t>(std::floor(std::clamp(x / edge, -1e15, 1e15))); };
  return {along(r.x), along(r.y), along(r.z)};
}

/// Whether one of the six cubes that share a face with this one is empty. occupied: sorted.
bool is_at_surface(const std::vector<Cube>& occupied, Cube cube) {
  for (std::size_t axis = 0; axis < cube.size(); ++axis)
    for (const std::int64_t step : {-1, 1}) {
      Cube next = cube;
      next[axis] += step;
      if (!std::binary_search(occupied.begin(), occupied.end(), next)) return true;
    }
  return false;
}

std::vector<std::uint32_t> at_surface(const std::vector<Vec3<double>>& position,
                                      const std::vector<std::uint32_t>& among, double edge) {
  std::vector<Cube> occupied;
  occupied.reserve(among.size());
  for (const std::uint32_t i : among) occupied.push_back(cube_of(position[i], edge));
  std::sort(occupied.begin(), occupied.end());
  occupied.erase(std::unique(occupied.begin(), occupied.end()), occupied.end());
  std::vector<Cube> outer;  // sorted, like those that it is made of
  for (const Cube& cube : occupied)
    if (is_at_surface(occupied, cube)) outer.push_back(cube);
  std::vector<std::uint32_t> index;
  for (const std::uint32_t i : among)
    if (std::binary_search(outer.begin(), outer.end(), cube_of(position[i], edge))) index.push_back(i);
  return index;
}

}  // namespace

ShownAtoms choose_atoms(const std::vector<Vec3<double>>& position, std::vector<std::uint32_t> among, double edge,
                        std::size_t most) {
  const std::size_t all = among.size();
  if (all <= most) return {std::move(among), {}};
  ShownAtoms shown{at_surface(position, among, edge), "the surface: "};
  if (shown.index.size() > most) {
    const std::size_t stride = (shown.index.size() + most - 1) / most;
    std::size_t n = 0;
    for (std::size_t k = 0; k < shown.index.size(); k += stride) shown.index[n++] = shown.index[k];
    shown.index.resize(n);
    shown.what = "a part of the surface: ";
  }
  shown.what += std::to_string(shown.index.size()) + " of " + std::to_string(all) + " atoms";
  return shown;
}

}  // namespace dropmd
