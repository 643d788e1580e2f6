#include "engine/device/device_memory.h"

#include <algorithm>
#include <cmath>

#include "engine/persistent/persistent_shape.h"
#include "forces/pair/cuda/device_pairs.cuh"
#include "neighbor/cells/cell_grid.h"
#include "neighbor/cells/cell_offsets.h"
#include "sort/element.h"
#include "sort/size_class.h"

namespace dropmd {

namespace {

/// Of every run, an atom.
std::uint64_t state_bytes(Precision precision) {
  const std::uint64_t real = precision == Precision::mixed ? 4 : 8;
  constexpr std::uint64_t kStates = 2 * 72;  // the state, a saved one
  constexpr std::uint64_t kPlaces = 2 * 12;  // at the last sorting, twice
  // Offsets and what rounding left out; force sums, twice; frames, boxes, sums by tile, CUB's scratch.
  const std::uint64_t tiles = 8 * real + 2 * 48 + 8;
  return kStates + kPlaces + tiles;
}

/// Of the neighbours of cells, an atom: measured with the edge of the rule; with a shorter one, at worst, every atom
/// has a cell for itself.
std::uint64_t neighbor_bytes(const PairModel& model, const Method& method) {
  const PairSearch by_rule{method.neighbor, method.skin}, search{method.neighbor, method.skin, method.cell_share};
  if (cell_share_of(model, search) >= cell_share_of(model, by_rule)) return 40;
  const CellPairsReach reach = cell_reach(model, search);
  constexpr std::size_t kMostOffsets = 1000;  // of cells that are not refused
  const auto offsets = reachable_offsets(reach.edge, reach.cutoff + reach.skin, kMostOffsets);
  return sizeof(std::uint32_t) * (offsets ? offsets->size() : kMostOffsets) / 2;
}

/// Of sorting cells that hold too many atoms for the registers of a warp, each along thirteen axes: keys before, in and
/// after CUB's sort. Exact, and so without a margin; only of the cells as they are now.
std::uint64_t large_segment_bytes(const System& system, const Method& method) {
  const CellPairsReach reach = cell_reach(system.model, {method.neighbor, method.skin, method.cell_share});
  if (2 * reach.full <= kMaxRegisterLength) return 0;  // no droplet is twice as dense as dense ones
  const std::vector<Vec3<double>>& position = system.particles.position;
  const CellGrid grid(position, central_anchor(position, 1.0), reach.edge);
  std::uint32_t longest = 0;
  for (const Cell& cell : grid.cells()) longest = std::max(longest, cell.end - cell.begin);
  if (CellPairs::room_for(longest) <= kMaxRegisterLength) return 0;
  return std::uint64_t{kCellAxes} * 3 * sizeof(RealElement) * position.size();
}

/// Of lists of twins, an atom, in a liquid: the longest list of a tile and the fullest block say how much all take, a
/// fifth more than the mean; a list for two atoms is 1.3 times as long as for one; an eighth is to spare.
std::uint64_t twin_list_bytes(const PairModel& model, double skin) {
  constexpr double kUneven = 1.2, kForBoth = 1.3, kSpare = 9.0 / 8, kPi = 3.14159;
  const double contact = model.smallest_r_min().value_or(1), density = 1.2 / (contact * contact * contact);
  const double r = model.cutoff() + skin, edge = std::cbrt(kTwinBlockAtoms / density);
  const double ball = 4.0 / 3 * kPi * r * r * r;
  const double near = edge * edge * edge + 6 * edge * edge * r + 3 * kPi * edge * r * r + ball;
  const double words = kUneven * kForBoth * kSpare * density * ball / kWordEntries + 3;
  const double of_words = words * 32 * sizeof(TwinWord) / kTileAtoms;
  const double of_seats = kUneven * kSpare * density * near * sizeof(std::uint32_t) / kTwinBlockAtoms;
  return static_cast<std::uint64_t>(of_words + of_seats);
}

/// of_sort: an atom.
std::uint64_t bytes_with_cells(const System& system, const Method& method, std::uint64_t of_sort) {
  // Positions of the build, keys and places (twice), neighbours of cells.
  const std::uint64_t cells = 48 + 20 + neighbor_bytes(system.model, method) + of_sort;
  return (state_bytes(method.precision) + cells) * system.particles.size() * 3 / 2 + kFixedDeviceBytes;
}

}  // namespace

std::uint64_t all_pairs_bytes(const System& system, const Method& method) {
  const std::size_t n_atoms = system.particles.size();
  // Energies and shares of work by warp; on the largest devices.
  constexpr int kManyMultiprocessors = 192;
  const std::uint64_t warps =
      TileTuning<float>::kWarps * share_forces<float>(static_cast<std::uint32_t>(n_atoms), kManyMultiprocessors).size();
  const std::uint64_t energies = (sizeof(PartialEnergy) + sizeof(WarpUnits)) * warps;
  return (state_bytes(method.precision) * n_atoms + energies) * 9 / 8 + kFixedDeviceBytes;
}

std::uint64_t cells_bytes(const System& system, const Method& method) { return bytes_with_cells(system, method, 0); }

std::uint64_t sorted_cells_bytes(const System& system, const Method& method) {
  constexpr std::uint64_t kWords = 52, kEnds = 8, kClasses = 60;
  return bytes_with_cells(system, method, kWords + kEnds + kClasses) + large_segment_bytes(system, method);
}

std::uint64_t pair_list_bytes(const System& system, const Method& method) {
  const std::size_t n_atoms = system.particles.size();
  // Entries and clusters near tiles, with an eighth to spare, and another for other liquids.
  constexpr std::uint64_t kLists = (138 + 71) * 9 / 8;
  constexpr std::uint64_t kBoxes = 6, kReference = 2 * 24;  // units, too; positions of the build, twice
  // Of persistent steps: words of the lists, of all rows that a block may have.
  constexpr std::uint64_t kLongest = 128 * (PersistentListShape::kMostRows / 4 + 2), kMostPersistent = 48 * 256;
  const std::uint64_t lists = n_atoms <= kMostPersistent ? kLongest * n_atoms : 0;
  const bool twins =
      is_by_twins({method.neighbor, method.skin, 0, method.list_form}, system.model, method.precision, n_atoms);
  const std::uint64_t of_atom = twins ? twin_list_bytes(system.model, method.skin) : kLists;
  return (state_bytes(method.precision) + of_atom + kBoxes + kReference) * n_atoms + lists + kFixedDeviceBytes;
}

}  // namespace dropmd
