#include "integrators/constraints/distance_geometry.h"

#include <algorithm>
#include <cmath>
#include <iterator>

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

}  // namespace dropmd
