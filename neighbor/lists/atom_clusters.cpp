#include "neighbor/lists/atom_clusters.h"

#include <algorithm>
#include <cmath>

#include "core/parallel_for.h"

namespace dropmd {

namespace {

struct Place {
  Vec3<double> x;
  std::uint32_t atom;
};

using Places = std::span<Place>;
using Component = double Vec3<double>::*;

Box box_of(std::span<const Place> places) {
  Box box{places[0].x, places[0].x};
  for (const Place& p : places) {
    box.low = {std::min(box.low.x, p.x.x), std::min(box.low.y, p.x.y), std::min(box.low.z, p.x.z)};
    box.high = {std::max(box.high.x, p.x.x), std::max(box.high.y, p.x.y), std::max(box.high.z, p.x.z)};
  }
  return box;
}

Component longest_side(const Box& box) {
  const Vec3<double> side = box.high - box.low;
  if (side.x >= side.y && side.x >= side.z) return &Vec3<double>::x;
  return side.y >= side.z ? &Vec3<double>::y : &Vec3<double>::z;
}

/// Returns the number of atoms of the lower half: whole groups while there are several, then whole clusters, so that
/// few clusters are partly filled.
std::size_t lower_half(std::size_t n, std::size_t width) {
  const std::size_t unit = n > AtomClusters::kGroupAtoms ? AtomClusters::kGroupAtoms : width;
  return (n / 2 + unit - 1) / unit * unit;
}

struct Halves {
  Places low, high;
};

/// Orders the places so that the halves are separate; what fits in a cluster is not divided.
Halves halve(Places places, std::size_t width) {
  if (places.size() <= width) return {places, {}};
  const Component side = longest_side(box_of(places));
  const std::size_t half = lower_half(places.size(), width);
  std::nth_element(places.begin(), places.begin() + static_cast<std::ptrdiff_t>(half), places.end(),
                   [side](const Place& a, const Place& b) {
                     return a.x.*side != b.x.*side ? a.x.*side < b.x.*side : a.atom < b.atom;
                   });
  return {places.first(half), places.subspan(half)};
}

/// Orders the places so that halves, their halves and so on down to clusters are separate.
void bisect(Places places, std::size_t width) {
  if (places.size() <= width) return;
  const auto [low, high] = halve(places, width);
  bisect(low, width);
  bisect(high, width);
}

/// The same with several threads: all parts are halved at once, until there are enough parts for all threads.
void bisect(Cpu cpu, Places places, std::size_t width) {
  constexpr std::size_t kLeast = 1024;  // fewer atoms are not worth the overhead of another thread
  constexpr std::size_t kPartsPerThread = 4;
  std::vector<Places> parts{places};
  const std::size_t enough = cpu.threads > 1 ? kPartsPerThread * static_cast<std::size_t>(cpu.threads) : 1;
  while (parts.size() < enough && places.size() / parts.size() > kLeast) {
    std::vector<Places> halves(2 * parts.size());
    parallel_for(cpu, parts.size(), [&](std::size_t k) {
      const auto [low, high] = halve(parts[k], width);
      halves[2 * k] = low;
      halves[2 * k + 1] = high;
    });
    parts.swap(halves);
  }
  parallel_for(cpu, parts.size(), [&](std::size_t k) { bisect(parts[k], width); });
}

class ClusterCutter {
 public:
  ClusterCutter(AtomClusters& clusters, double max_extent) : clusters_(clusters), max_extent_(max_extent) {}

  /// Makes the same halves as bisect(), from left to right.
  void cut(Places places) {
    if (places.size() > AtomClusters::kGroupAtoms) {
      cut(places.first(lower_half(places.size(), clusters_.width)));
      cut(places.subspan(lower_half(places.size(), clusters_.width)));
      return;
    }
    const std::uint32_t begin = clusters_.size();
    cut_group(places);
    clusters_.groups.push_back({begin, clusters_.size()});
  }

 private:
  void cut_group(Places places) {
    if (places.size() <= clusters_.width) return cut_extent(places);
    cut_group(places.first(lower_half(places.size(), clusters_.width)));
    cut_group(places.subspan(lower_half(places.size(), clusters_.width)));
  }

  void cut_extent(Places places) {
    const Box box = box_of(places);
    const Component side = longest_side(box);
    if (places.size() == 1 || box.high.*side - box.low.*side <= max_extent_) return append(places, box);
    const double middle = 0.5 * box.low.*side + 0.5 * box.high.*side;
    const auto cut =
        std::stable_partition(places.begin(), places.end(), [&](const Place& p) { return p.x.*side < middle; });
    // Rounding may leave all atoms on one side of the middle.
    const auto n = std::clamp<std::ptrdiff_t>(cut - places.begin(), 1, static_cast<std::ptrdiff_t>(places.size()) - 1);
    cut_extent(places.first(static_cast<std::size_t>(n)));
    cut_extent(places.subspan(static_cast<std::size_t>(n)));
  }

  void append(Places places, const Box& box) {
    for (const Place& p : places) clusters_.atom.push_back(p.atom);
    clusters_.count.push_back(static_cast<std::uint32_t>(places.size()));
    clusters_.atom.resize(std::size_t{clusters_.size()} * clusters_.width, kNoAtom);
    clusters_.box.push_back(box);
  }

  AtomClusters& clusters_;
  double max_extent_;
};

}  // namespace

AtomClusters make_clusters(Cpu cpu, std::span<const Vec3<double>> position, std::uint32_t width, double max_extent) {
  std::vector<Place> places(position.size());
  for (std::size_t i = 0; i < position.size(); ++i)
    places[i] = {is_finite(position[i]) ? position[i] : Vec3<double>{}, static_cast<std::uint32_t>(i)};
  AtomClusters clusters;
  clusters.width = width;
  if (places.empty()) return clusters;
  bisect(cpu, places, width);
  clusters.atom.reserve(position.size() + width);
  ClusterCutter(clusters, max_extent).cut(places);
  return clusters;
}

}  // namespace dropmd
