#include "forces/mesh/mesh_box.h"

#include <algorithm>
#include <cmath>

namespace dropmd {

MeshBox MeshBox::around(const Vec3<double>& low, const Vec3<double>& high, double spacing, int order) {
  MeshBox box{spacing, {}, {}};
  const double from[3] = {low.x, low.y, low.z}, to[3] = {high.x, high.y, high.z};
  for (std::size_t axis = 0; axis < 3; ++axis) {
    // The points of b_spline.h for places between the two, whose last may round to the next point.
    box.first[axis] = std::llround(cell_of(from[axis] / spacing, order)) + 1;
    const long long last = std::llround(cell_of(to[axis] / spacing, order)) + order + 1;
    box.points[axis] = static_cast<int>(last - box.first[axis] + 1);
  }
  // The first may also round to the point before: place() rounds less than the division above.
  const Vec3<double> place = box.place(low);
  const double along[3] = {place.x, place.y, place.z};
  for (std::size_t axis = 0; axis < 3; ++axis) {
    if (cell_of(along[axis], order) >= -1) continue;
    --box.first[axis];
    ++box.points[axis];
  }
  return box;
}

double MeshBox::diagonal() const {
  double square = 0;
  for (const int along : points) square += std::pow(spacing * std::max(0, along - 1), 2);
  return std::sqrt(square);
}

int fast_length(int n) {
  for (int length = std::max(2, n + n % 2);; length += 2) {
    int rest = length;
    for (const int prime : {2, 3, 5})
      while (rest % prime == 0) rest /= prime;
    if (rest == 1) return length;
  }
}

}  // namespace dropmd
