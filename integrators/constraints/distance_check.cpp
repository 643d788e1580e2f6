#include "integrators/constraints/distance_check.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
#include <span>
#include <string>

#include "core/errors.h"

namespace dropmd {
namespace {
constexpr double kFlat = 1e-3;  // a height over the longest side
}

Realizable triangle_with(double a, double b, double c) {
  const double longest = std::max({a, b, c}), slack = a + b + c - 2 * longest;
  // A triangle whose longest side is 1 has at most the height sqrt(slack/2) over it.
  if (std::fabs(slack) <= 2 * kFlat * kFlat * longest) return Realizable::flat;
  return slack > 0 ? Realizable::yes : Realizable::no;
}

Realizable tetrahedron_with(const double (&edge)[6]) {
  const auto [d01, d02, d03, d12, d13, d23] = edge;
  const auto square = [](double x) { return x * x; };
  // Atom 1 on the x axis, atom 2 in the plane xy, atom 3 above it.
  const double x2 = (square(d01) + square(d02) - square(d12)) / (2 * d01);
  const double y2 = std::sqrt(square(d02) - square(x2));
  const double x3 = (square(d01) + square(d03) - square(d13)) / (2 * d01);
  const double y3 = (square(x2 - x3) + square(y2) + square(d03) - square(x3) - square(d23)) / (2 * y2);
  const double height2 = square(d03) - square(x3) - square(y3);
  const double longest = *std::max_element(std::begin(edge), std::end(edge));
  if (std::fabs(height2) <= square(kFlat * longest)) return Realizable::flat;
  return height2 > 0 ? Realizable::yes : Realizable::no;
}

void check_distances(const ConstraintCluster& cluster, const AtomLabels& labels) {
  const auto check = [&](Realizable realizable, std::span<const Constraint> constraints, const char* body) {
    if (realizable == Realizable::yes) return;
    std::string lengths;
    for (const Constraint& c : constraints) lengths += fmt::format("{}{:g}", lengths.empty() ? "" : ", ", c.length);
    throw InputError(
        realizable == Realizable::no
            ? fmt::format("no {} has the lengths {} of the constraints {} (the lengths must be consistent)", body,
                          lengths, labels.bonds(constraints))
            : fmt::format("the lengths {} of the constraints {} make a flat {} (leave out constraints that "
                          "follow from others, or use virtual sites)",
                          lengths, labels.bonds(constraints), body));
  };
  const std::size_t n = cluster.atoms().size();
  const auto between = [&](std::size_t i, std::size_t j) { return cluster.length(cluster.atom[i], cluster.atom[j]); };
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = i + 1; j < n; ++j)
      for (std::size_t k = j + 1; k < n; ++k) {
        const std::array<Constraint, 3> sides{{{{cluster.atom[i], cluster.atom[j]}, between(i, j)},
                                               {{cluster.atom[i], cluster.atom[k]}, between(i, k)},
                                               {{cluster.atom[j], cluster.atom[k]}, between(j, k)}}};
        if (std::ranges::all_of(sides, [](const Constraint& side) { return side.length > 0; }))
          check(triangle_with(sides[0].length, sides[1].length, sides[2].length), sides, "triangle");
      }
  if (n == 4 && cluster.constraints.size() == 6)
    check(tetrahedron_with({between(0, 1), between(0, 2), between(0, 3), between(1, 2), between(1, 3), between(2, 3)}),
          cluster.constraints, "tetrahedron");
}

}  // namespace dropmd
