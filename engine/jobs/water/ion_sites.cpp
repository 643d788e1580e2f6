#include "engine/jobs/water/ion_sites.h"

#include <algorithm>
#include <limits>
#include <numeric>

namespace dropmd {

namespace {

/// Depth of the ions: two layers of molecules below the surface, in small droplets a quarter of the radius.
constexpr double kDepth = 6.0, kDepthOfRadius = 0.25;

/// Returns how many of the sites, from the first on, ions may take.
std::size_t sites_in_depth(std::span<const Vec3<double>> sites, double radius, std::size_t ions) {
  const double most = radius - std::min(kDepth, kDepthOfRadius * radius);
  const auto inside = std::count_if(sites.begin(), sites.end(), [&](const Vec3<double>& x) { return norm(x) <= most; });
  return std::min(sites.size(), std::max(2 * ions, static_cast<std::size_t>(inside)));
}

/// Returns n of the first `candidates` sites, each the farthest from all before it.
std::vector<std::uint32_t> far_apart(std::span<const Vec3<double>> sites, std::size_t candidates, std::size_t n) {
  std::vector<double> nearest(candidates, std::numeric_limits<double>::infinity());  // square of the distance
  std::vector<std::uint32_t> chosen;
  std::size_t next = 0;
  while (chosen.size() < n) {
    chosen.push_back(static_cast<std::uint32_t>(next));
    const Vec3<double> last = sites[next];
    double farthest = -1;
    for (std::size_t i = 0; i < candidates; ++i) {
      const Vec3<double> d = sites[i] - last;
      nearest[i] = std::min(nearest[i], dot(d, d));
      if (nearest[i] <= farthest) continue;
      farthest = nearest[i];
      next = i;
    }
  }
  return chosen;
}

}  // namespace

std::vector<std::uint32_t> ion_sites(std::span<const Vec3<double>> sites, double radius,
                                     std::span<const std::size_t> counts) {
  const std::size_t ions = std::accumulate(counts.begin(), counts.end(), std::size_t{0});
  const std::vector<std::uint32_t> chosen = far_apart(sites, sites_in_depth(sites, radius, ions), ions);
  std::vector<std::vector<std::uint32_t>> of_kind(counts.size());
  for (std::size_t t = 0; t < ions; ++t) {
    const double share = (static_cast<double>(t) + 1) / static_cast<double>(ions);
    std::size_t kind = 0;
    double most = -std::numeric_limits<double>::infinity();
    for (std::size_t k = 0; k < counts.size(); ++k) {
      if (of_kind[k].size() == counts[k]) continue;
      const double missing = share * static_cast<double>(counts[k]) - static_cast<double>(of_kind[k].size());
      if (missing > most) most = missing, kind = k;
    }
    of_kind[kind].push_back(chosen[t]);
  }
  std::vector<std::uint32_t> all;
  for (const auto& kind : of_kind) all.insert(all.end(), kind.begin(), kind.end());
  return all;
}

}  // namespace dropmd
