#include "maps/designs/small_bins.h"

#include <algorithm>

#include "core/errors.h"
#include "core/parallel_for.h"

namespace dropmd {

namespace {

constexpr std::size_t kNoBin = ~std::size_t{0};

/// Returns the index of the bin of each atom; kNoBin for neutral atoms and those outside all bins.
std::vector<std::size_t> bin_numbers(const BinGrid& bins, MapCharges charges) {
  std::vector<std::size_t> numbers(charges.charge.size(), kNoBin);
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    const Vec3<double> d = charges.position[i] - bins.origin;
    const auto is_inside = [&](double x, std::int32_t n) { return x >= 0 && x < n * bins.edge; };
    if (charges.charge[i] == 0 || !is_inside(d.x, bins.n.x) || !is_inside(d.y, bins.n.y) || !is_inside(d.z, bins.n.z))
      continue;
    const auto along = [&](double x, std::int32_t n) {  // the last face is rounded
      return static_cast<std::size_t>(std::min(bin_of(x, bins.edge), n - 1));
    };
    numbers[i] = (along(d.z, bins.n.z) * static_cast<std::size_t>(bins.n.y) + along(d.y, bins.n.y)) *
                     static_cast<std::size_t>(bins.n.x) +
                 along(d.x, bins.n.x);
  }
  return numbers;
}

int covering_capacity(const BinGrid& bins, const std::vector<std::size_t>& numbers) {
  constexpr int kLine = 8, kMost = 64;
  constexpr double kShare = 0.95;
  std::vector<std::uint32_t> n_in(bins.size());
  std::size_t n = 0;
  for (const std::size_t bin : numbers)
    if (bin != kNoBin) ++n_in[bin], ++n;
  for (int capacity = kLine; capacity < kMost; capacity += kLine) {
    if (bins.size() * static_cast<std::size_t>(capacity + kLine) > SmallBinsPlan::kMostSlots) return capacity;
    std::size_t covered = 0;
    for (const std::uint32_t n_here : n_in) covered += std::min(n_here, static_cast<std::uint32_t>(capacity));
    if (static_cast<double>(covered) >= kShare * static_cast<double>(n)) return capacity;
  }
  return kMost;
}

}  // namespace

std::vector<Vec3<std::int32_t>> neighbor_offsets(const std::array<BlockInBin, 3>& block, double edge, double cutoff) {
  const auto low = [&](int axis) { return bin_of(block[axis].least - cutoff, edge); };
  const auto high = [&](int axis) { return bin_of(block[axis].most + block[axis].extent + cutoff, edge); };
  const auto gap2 = [&](int axis, std::int32_t o) {
    const double below = block[axis].least - (o + 1) * edge, above = o * edge - block[axis].most - block[axis].extent;
    const double gap = std::max({below, above, 0.0});
    return gap * gap;
  };
  std::vector<Vec3<std::int32_t>> offsets;
  for (std::int32_t z = low(2); z <= high(2); ++z)
    for (std::int32_t y = low(1); y <= high(1); ++y)
      for (std::int32_t x = low(0); x <= high(0); ++x)
        if (gap2(0, x) + gap2(1, y) + gap2(2, z) < cutoff * cutoff) offsets.push_back({x, y, z});
  return offsets;
}

SmallBinsPlan plan_small_bins(const MapGrid& grid, double cutoff, double edge) {
  constexpr std::int32_t kEdge = SmallBinsPlan::kBlockEdge;
  const std::array<double, 3> spacing{grid.spacing.x, grid.spacing.y, grid.spacing.z};
  const std::array<std::int32_t, 3> points{grid.points.x, grid.points.y, grid.points.z};
  SmallBinsPlan plan;
  plan.blocks = {grid.points, {kEdge, kEdge, kEdge}};
  for (;; edge *= 2) {
    std::array<BlockInBin, 3> block{};
    std::array<double, 3> n{};
    double around = 1;  // largest number of bins in the neighbourhood of a block
    const double padding = std::ceil(cutoff / edge) + 1;
    for (int axis = 0; axis < 3; ++axis) {
      const auto n_blocks = static_cast<std::int32_t>(PointBlocks::count(points[axis], kEdge));
      block[axis] = {edge, 0, (kEdge - 1) * spacing[axis]};
      const double end = n_blocks * (kEdge * spacing[axis]);
      n[axis] = std::ceil(end / edge) + 2 * padding + 1;
      around *= std::ceil((block[axis].extent + 2 * cutoff) / edge);
      if (n[axis] > SmallBinsPlan::kMostBins) continue;
      for (std::int32_t b = 0; b < n_blocks; ++b) {
        const double low = kEdge * b * spacing[axis], in_bin = low - bin_of(low, edge) * edge;
        block[axis].least = std::min(block[axis].least, in_bin);
        block[axis].most = std::max(block[axis].most, in_bin);
      }
    }
    if (n[0] * n[1] * n[2] > SmallBinsPlan::kMostBins || around > 4 * SmallBinsPlan::kMostOffsets) continue;
    plan.offsets = neighbor_offsets(block, edge, cutoff);
    if (plan.offsets.size() > SmallBinsPlan::kMostOffsets) continue;
    plan.padding = static_cast<std::int32_t>(padding);
    plan.bins = {grid.origin - Vec3<double>{padding * edge, padding * edge, padding * edge},
                 edge,
                 {static_cast<std::int32_t>(n[0]), static_cast<std::int32_t>(n[1]), static_cast<std::int32_t>(n[2])}};
    return plan;
  }
}

BinnedCharges fill_bins(const BinGrid& bins, MapCharges charges, std::optional<int> capacity) {
  if (capacity && *capacity > SmallBinsPlan::kMostCapacity)
    throw InputError("bins of " + std::to_string(*capacity) + " atoms are too large (at most " +
                     std::to_string(SmallBinsPlan::kMostCapacity) + ")");
  const std::vector<std::size_t> numbers = bin_numbers(bins, charges);
  BinnedCharges binned;
  binned.capacity = capacity ? *capacity : covering_capacity(bins, numbers);
  const auto room = static_cast<std::size_t>(binned.capacity);
  if (bins.size() * room > SmallBinsPlan::kMostSlots)
    throw InputError("bins of " + std::to_string(room) + " atoms need more than 2 GiB (use a smaller capacity)");
  binned.slots.resize(bins.size() * room);
  std::vector<std::uint32_t> n_in(bins.size());
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    const std::size_t bin = numbers[i];
    if (bin == kNoBin) continue;
    ++binned.n_charges;
    const auto charge = static_cast<float>(charges.charge[i]);
    if (n_in[bin] >= room || charge == 0) {  // a charge below the range of fp32 would mark the end of its bin
      binned.overflow_position.push_back(charges.position[i]);
      binned.overflow_charge.push_back(charges.charge[i]);
      continue;
    }
    const auto nx = static_cast<std::size_t>(bins.n.x), ny = static_cast<std::size_t>(bins.n.y);
    const std::size_t x = bin % nx, y = bin / nx % ny, z = bin / nx / ny;
    const Vec3<double> index{static_cast<double>(x), static_cast<double>(y), static_cast<double>(z)};
    const Vec3<double> d = charges.position[i] - bins.origin - bins.edge * index;
    binned.slots[bin * room + n_in[bin]++] = {static_cast<float>(d.x), static_cast<float>(d.y), static_cast<float>(d.z),
                                              charge};
  }
  return binned;
}

void join_blocks(Cpu cpu, const PointBlocks& blocks, const float* padded, double scale, std::span<double> potential) {
  constexpr std::size_t kEdge = SmallBinsPlan::kBlockEdge;
  const MapGrid numbers{.points = blocks.points};
  parallel_for(cpu, static_cast<std::size_t>(blocks.n_blocks()), [&](std::size_t b) {
    const PointBlock block = blocks[static_cast<std::int64_t>(b)];
    const float* const from = padded + b * kEdge * kEdge * kEdge;
    for (std::int32_t k = block.low.z; k < block.high.z; ++k)
      for (std::int32_t j = block.low.y; j < block.high.y; ++j) {
        const std::size_t row =
            (static_cast<std::size_t>(k - block.low.z) * kEdge + static_cast<std::size_t>(j - block.low.y)) * kEdge;
        const std::size_t to = numbers.number(block.low.x, j, k);
        const auto n = static_cast<std::size_t>(block.high.x - block.low.x);
        for (std::size_t i = 0; i < n; ++i) potential[to + i] += scale * static_cast<double>(from[row + i]);
      }
  });
}

}  // namespace dropmd
