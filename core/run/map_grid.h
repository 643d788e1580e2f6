#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "core/raw_vector.h"
#include "core/vec3.h"

namespace dropmd {

/// A regular grid of points in space. Point (i, j, k) lies at origin + (i, j, k)·spacing, axis by axis, and its index
/// is (k·points.y + j)·points.x + i, so that x runs fastest.
struct MapGrid {
  Vec3<double> origin{};        ///< position of point (0, 0, 0), length
  Vec3<double> spacing{};       ///< along each axis, positive, length
  Vec3<std::int32_t> points{};  ///< number along each axis, at least one

  /// Number of points.
  std::size_t n_points() const {
    return static_cast<std::size_t>(points.x) * static_cast<std::size_t>(points.y) * static_cast<std::size_t>(points.z);
  }
  /// Index of point (i, j, k).
  std::size_t number(std::int32_t i, std::int32_t j, std::int32_t k) const {
    return (static_cast<std::size_t>(k) * static_cast<std::size_t>(points.y) + static_cast<std::size_t>(j)) *
               static_cast<std::size_t>(points.x) +
           static_cast<std::size_t>(i);
  }
  /// Position of point (i, j, k), length.
  Vec3<double> at(std::int32_t i, std::int32_t j, std::int32_t k) const {
    return {origin.x + i * spacing.x, origin.y + j * spacing.y, origin.z + k * spacing.z};
  }

  friend bool operator==(const MapGrid&, const MapGrid&) = default;
};

/// An electrostatic potential on a grid, with the text that its file needs.
struct PotentialMap {
  MapGrid grid{};
  RawVector<double> potential{};      ///< [n_points] in `unit`, by index of the point
  std::vector<Vec3<double>> field{};  ///< [n_points][3] E = −∇V, or empty
  std::string unit{};                 ///< of the potential: "kcal/mol/e", "kT/e", "V", ...
  std::string length{};               ///< unit of lengths: "A" or "sigma"
  std::string title{};                ///< one line: system, method, form, cutoff
};

}  // namespace dropmd
