#include "forces/mesh/levels/charge_extents.h"

#include <algorithm>
#include <cmath>

namespace dropmd {

namespace {

/// Number of distances, three per octave.
constexpr std::size_t kDistances = 48;
/// The longest distance over that of the middle charge from the median position.
constexpr double kLongest = 64;
/// The most charges between two extents whose neighbours are counted, and the most among which they are counted.
constexpr std::size_t kSources = 4, kPartners = 1024;

/// Counts neighbours among evenly spaced charges, by the square of their distance.
class NeighborCount {
 public:
  NeighborCount(std::span<const Vec3<double>> position, std::span<const std::uint32_t> order,
                std::span<const double> distance)
      : per_last2_(1 / (distance.back() * distance.back())) {
    const std::size_t n = order.size(), n_partners = std::min(n, kPartners);
    weight_ = static_cast<double>(n) / static_cast<double>(n_partners);
    for (std::size_t k = 0; k < n_partners; ++k)
      partner_.push_back(position[order[(2 * k + 1) * n / (2 * n_partners)]]);
  }

  /// Adds the neighbours of a charge, times a factor, to counts by shell.
  void add(const Vec3<double>& x, double factor, std::vector<double>& count) const {
    for (const Vec3<double>& other : partner_) {
      const Vec3<double> d = x - other;
      const double ratio = dot(d, d) * per_last2_;
      if (!(ratio < 1) || ratio == 0) continue;  // 0: itself, in general
      // log2 of the ratio of distances, times three: the shell from the last one downwards.
      const double below = -1.5 * std::log2(ratio);
      count[kDistances - 1 - std::min(kDistances - 1, static_cast<std::size_t>(below))] += factor * weight_;
    }
  }

 private:
  double per_last2_, weight_;
  std::vector<Vec3<double>> partner_;
};

}  // namespace

ChargeExtents ChargeExtents::of(std::span<const Vec3<double>> position, std::span<const std::uint32_t> order) {
  ChargeExtents result;
  const std::size_t n = order.size();
  result.n_charges = n;
  if (n == 0) return result;
  for (std::size_t outside = 0; outside < n; outside += 1 + outside / 64)
    result.extents.push_back({outside, {}, std::vector<double>(kDistances, 0.0)});

  Cuboid cuboid;
  auto extent = result.extents.rbegin();
  for (std::size_t k = 0; k < n && extent != result.extents.rend(); ++k) {
    cuboid.add(position[order[k]]);
    if (extent->outside == n - k - 1) (extent++)->cuboid = cuboid;
  }

  const double middle = norm(position[order[n / 2]] - position[order[0]]), last = middle > 0 ? kLongest * middle : 1;
  for (std::size_t k = 0; k < kDistances; ++k)
    result.distance.push_back(last * std::exp2((static_cast<double>(k + 1) - static_cast<double>(kDistances)) / 3));
  const NeighborCount neighbors(position, order, result.distance);
  for (std::size_t e = 1; e < result.extents.size(); ++e) {
    // Charges that are outside of this extent and inside of the previous one.
    const std::size_t first = result.extents[e - 1].outside, n_more = result.extents[e].outside - first;
    const std::size_t n_sources = std::min(kSources, n_more);
    std::vector<double> count(kDistances, 0.0);
    for (std::size_t s = 0; s < n_sources; ++s) {
      const std::size_t outside = first + (2 * s + 1) * n_more / (2 * n_sources);
      neighbors.add(position[order[n - 1 - outside]], static_cast<double>(n_more) / static_cast<double>(n_sources),
                    count);
    }
    double within = 0;
    for (std::size_t k = 0; k < kDistances; ++k)
      result.extents[e].pairs[k] = result.extents[e - 1].pairs[k] + (within += count[k]);
  }
  return result;
}

double ChargeExtents::pairs_within(const Extent& extent, double r) const {
  const auto next = std::upper_bound(distance.begin(), distance.end(), r);
  if (next == distance.end())  // all of them
    return static_cast<double>(extent.outside) * static_cast<double>(n_charges);
  const auto k = static_cast<std::size_t>(next - distance.begin());
  const double low = k > 0 ? distance[k - 1] : 0, pairs_low = k > 0 ? extent.pairs[k - 1] : 0;
  const double part = (std::pow(r, 3) - std::pow(low, 3)) / (std::pow(distance[k], 3) - std::pow(low, 3));
  return pairs_low + part * (extent.pairs[k] - pairs_low);
}

}  // namespace dropmd
