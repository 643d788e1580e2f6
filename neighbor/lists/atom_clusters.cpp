#include "neighbor/lists/atom_clusters.h"

#include <algorithm>
#include <cmath>

#include "core/parallel_for.h"

namespace dropmd {

namespace {

struct AtomPosition {
  Vec3<double> x;
  std::uint32_t atom;
};

using AtomPositions = std::span<AtomPosition>;
using Component = double Vec3<double>::*;

Box box_of(std::span<const AtomPosition> atoms) {
  Box box{atoms[0].x, atoms[0].x};
  for (const AtomPosition& p : atoms) {
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
  AtomPositions low, high;
};

/// Orders the atoms so that the halves are separate; what fits in a cluster is not divided.
Halves halve(AtomPositions atoms, std::size_t width) {
  if (atoms.size() <= width) return {atoms, {}};
  const Component side = longest_side(box_of(atoms));
  const std::size_t half = lower_half(atoms.size(), width);
  std::nth_element(atoms.begin(), atoms.begin() + static_cast<std::ptrdiff_t>(half), atoms.end(),
                   [side](const AtomPosition& a, const AtomPosition& b) {
                     return a.x.*side != b.x.*side ? a.x.*side < b.x.*side : a.atom < b.atom;
                   });
  return {atoms.first(half), atoms.subspan(half)};
}

/// Orders the atoms so that halves, their halves and so on down to clusters are separate.
void bisect(AtomPositions atoms, std::size_t width) {
  if (atoms.size() <= width) return;
  const auto [low, high] = halve(atoms, width);
  bisect(low, width);
  bisect(high, width);
}

/// The same with several threads: all parts are halved at once, until there are enough parts for all threads.
void bisect(Cpu cpu, AtomPositions atoms, std::size_t width) {
  constexpr std::size_t kLeast = 1024;  // fewer atoms are not worth the overhead of another thread
  constexpr std::size_t kPartsPerThread = 4;
  std::vector<AtomPositions> parts{atoms};
  const std::size_t enough = cpu.threads > 1 ? kPartsPerThread * static_cast<std::size_t>(cpu.threads) : 1;
  while (parts.size() < enough && atoms.size() / parts.size() > kLeast) {
    std::vector<AtomPositions> halves(2 * parts.size());
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
  void cut(AtomPositions atoms) {
    if (atoms.size() > AtomClusters::kGroupAtoms) {
      cut(atoms.first(lower_half(atoms.size(), clusters_.width)));
      cut(atoms.subspan(lower_half(atoms.size(), clusters_.width)));
      return;
    }
    const std::uint32_t begin = clusters_.size();
    cut_group(atoms);
    clusters_.groups.push_back({begin, clusters_.size()});
  }

 private:
  void cut_group(AtomPositions atoms) {
    if (atoms.size() <= clusters_.width) return cut_extent(atoms);
    cut_group(atoms.first(lower_half(atoms.size(), clusters_.width)));
    cut_group(atoms.subspan(lower_half(atoms.size(), clusters_.width)));
  }

  void cut_extent(AtomPositions atoms) {
    const Box box = box_of(atoms);
    const Component side = longest_side(box);
    if (atoms.size() == 1 || box.high.*side - box.low.*side <= max_extent_) return append(atoms, box);
    const double middle = 0.5 * box.low.*side + 0.5 * box.high.*side;
    const auto cut =
        std::stable_partition(atoms.begin(), atoms.end(), [&](const AtomPosition& p) { return p.x.*side < middle; });
    // Rounding may leave all atoms on one side of the middle.
    const auto n = std::clamp<std::ptrdiff_t>(cut - atoms.begin(), 1, static_cast<std::ptrdiff_t>(atoms.size()) - 1);
    cut_extent(atoms.first(static_cast<std::size_t>(n)));
    cut_extent(atoms.subspan(static_cast<std::size_t>(n)));
  }

  void append(AtomPositions atoms, const Box& box) {
    for (const AtomPosition& p : atoms) clusters_.atom.push_back(p.atom);
    clusters_.count.push_back(static_cast<std::uint32_t>(atoms.size()));
    clusters_.atom.resize(std::size_t{clusters_.size()} * clusters_.width, kNoAtom);
    clusters_.box.push_back(box);
  }

  AtomClusters& clusters_;
  double max_extent_;
};

}  // namespace

AtomClusters make_clusters(Cpu cpu, std::span<const Vec3<double>> position, std::uint32_t width, double max_extent) {
  std::vector<AtomPosition> atoms(position.size());
  for (std::size_t i = 0; i < position.size(); ++i)
    atoms[i] = {is_finite(position[i]) ? position[i] : Vec3<double>{}, static_cast<std::uint32_t>(i)};
  AtomClusters clusters;
  clusters.width = width;
  if (atoms.empty()) return clusters;
  bisect(cpu, atoms, width);
  clusters.atom.reserve(position.size() + width);
  ClusterCutter(clusters, max_extent).cut(atoms);
  return clusters;
}

}  // namespace dropmd
