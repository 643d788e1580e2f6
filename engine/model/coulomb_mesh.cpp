#include "engine/model/coulomb_mesh.h"

#include <algorithm>
#include <cstddef>
#include <stdexcept>

namespace dropmd {

namespace {

/// How many numbers of a mesh are in a checkpoint, and in those written before meshes were fitted and before they were
/// refined.
constexpr std::size_t kNumbers = 12, kBeforeFits = 10, kBeforeRefinements = 8;

}  // namespace

std::vector<double> CoulombMesh::numbers() const {
  return {parameters.cutoff,
          parameters.bandwidth,
          parameters.spacing,
          static_cast<double>(parameters.order),
          parameters.fit_error,
          accuracy,
          error,
          force,
          static_cast<double>(refinements),
          fixed_spacing ? 1.0 : 0.0,
          fitted ? 1.0 : 0.0,
          fixed_order ? 1.0 : 0.0};
}

CoulombMesh CoulombMesh::from(const std::vector<double>& numbers) {
  const std::size_t n = numbers.size();
  const bool possible = (n == kNumbers || n == kBeforeFits || n == kBeforeRefinements) &&
                        std::all_of(numbers.begin(), numbers.end(), [](double x) { return x >= 0; }) &&
                        numbers[0] > 0 && numbers[1] >= 1 && numbers[1] <= 100 && numbers[2] > 0 && numbers[3] >= 4 &&
                        numbers[3] <= 8 && (n < kBeforeFits || (numbers[8] <= 100 && numbers[9] <= 1)) &&
                        (n < kNumbers || (numbers[10] <= 1 && numbers[11] <= 1));
  if (!possible) throw std::invalid_argument("no mesh has these parameters");
  CoulombMesh mesh{{numbers[0], numbers[1], numbers[2], static_cast<int>(numbers[3]), numbers[4]},
                   numbers[5],
                   numbers[6],
                   numbers[7]};
  mesh.fitted = n < kNumbers || numbers[10] != 0;
  mesh.fixed_order = n == kNumbers && numbers[11] != 0;
  if (n < kBeforeFits) return mesh;
  mesh.refinements = static_cast<int>(numbers[8]);
  mesh.fixed_spacing = numbers[9] != 0;
  return mesh;
}

}  // namespace dropmd
