#include "forces/mesh/cuboid.h"

#include <algorithm>
#include <cstddef>
#include <numeric>

namespace dropmd {

std::vector<std::uint32_t> nearest_to_median(std::span<const Vec3<double>> position) {
  std::vector<double> value(position.size());
  const auto median = [&](double Vec3<double>::*axis) {
    if (value.empty()) return 0.0;
    std::transform(position.begin(), position.end(), value.begin(), [&](const Vec3<double>& x) { return x.*axis; });
    const auto middle = value.begin() + static_cast<std::ptrdiff_t>(value.size() / 2);
    std::nth_element(value.begin(), middle, value.end());
    return *middle;
  };
  const Vec3<double> centre{median(&Vec3<double>::x), median(&Vec3<double>::y), median(&Vec3<double>::z)};
  for (std::size_t i = 0; i < position.size(); ++i) value[i] = dot(position[i] - centre, position[i] - centre);
  std::vector<std::uint32_t> order(position.size());
  std::iota(order.begin(), order.end(), 0U);
  std::sort(order.begin(), order.end(),
            [&](std::uint32_t a, std::uint32_t b) { return value[a] != value[b] ? value[a] < value[b] : a < b; });
  return order;
}

}  // namespace dropmd
