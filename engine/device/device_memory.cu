#include "engine/device/device_memory.h"

#include <algorithm>
#include <cmath>

#include "engine/device/device_state.cuh"
#include "engine/device/field_forces.cuh"
#include "engine/device/mobility.cuh"
#include "engine/device/step_sums.cuh"
#include "engine/persistent/persistent_steps.cuh"
#include "forces/pair/cuda/device_pairs.cuh"
#include "neighbor/cells/cell_grid.h"
#include "neighbor/cells/cell_offsets.h"
#include "sort/element.h"
#include "sort/size_class.h"

namespace dropmd {

namespace {

/// Number of multiprocessors of the largest devices.
constexpr std::uint32_t kManyMultiprocessors = 256;

std::uint32_t count_of(const System& system) { return static_cast<std::uint32_t>(system.particles.size()); }

/// Bytes that a run needs besides the estimates below: those without memory of their own there, terms of many atoms,
/// and the forces of terms of one atom.
std::uint64_t fixed_bytes(const System& system) {
  std::uint64_t bytes = kFixedDeviceBytes;
  for (const auto& term : system.terms) bytes += term->device_bytes(system.particles.size());
  if (!system.fields.empty()) bytes += FieldForces::bytes(system.particles.size());
  return bytes;
}

/// Bytes that every run needs: the state with its sums, their saved copies for the return after a fault, tiles, and the
/// positions of the last reordering.
template <class Real>
std::uint64_t state_bytes(std::uint32_t n_atoms, std::uint64_t n_partial_energies) {
  constexpr std::uint64_t kScratch = 4;  // of CUB's sort and sums, per atom
  const std::uint64_t n_tiles = tiles_of(n_atoms);
  return 2 * (DeviceState::bytes(n_atoms) + ForceSums<Real>::bytes(n_atoms)) + AtomTiles<Real>::bytes(n_atoms) +
         sizeof(StepClock) * n_tiles + Mobility::bytes(n_atoms) + StepReduction::bytes(n_tiles, n_partial_energies) +
         kScratch * n_atoms;
}
std::uint64_t state_bytes(Precision precision, std::uint32_t n_atoms, std::uint64_t n_partial_energies) {
  return precision == Precision::mixed ? state_bytes<float>(n_atoms, n_partial_energies)
                                       : state_bytes<double>(n_atoms, n_partial_energies);
}

template <class Real>
std::uint64_t all_pairs_bytes_of(std::uint32_t n_atoms) {
  return state_bytes<Real>(n_atoms, TileForces<Real>::n_items(n_atoms, kManyMultiprocessors)) +
         TileForces<Real>::bytes(n_atoms, kManyMultiprocessors);
}

/// Bytes per atom of the neighbours of cells, measured with the edge of the rule; with a shorter edge, in the worst
/// case, every atom has its own cell.
std::uint64_t neighbor_bytes(const PairModel& model, const Method& method) {
  const PairSearch by_rule{method.neighbor, method.skin}, search{method.neighbor, method.skin, method.cell_share};
  if (cell_share_of(model, search) >= cell_share_of(model, by_rule)) return 40;
  const CellPairsParameters parameters = cell_pairs_parameters(model, search);
  constexpr std::size_t kMostOffsets = 1000;  // cells with more are refused
  const auto offsets = offsets_within(parameters.edge, parameters.cutoff + parameters.skin, kMostOffsets);
  return sizeof(std::uint32_t) * (offsets ? offsets->size() : kMostOffsets) / 2;
}

/// Bytes for sorting cells that hold too many atoms for the registers of a warp, each along thirteen axes: keys before,
/// during and after CUB's sort. The number is exact and needs no margin, but it holds only for the present cells.
std::uint64_t large_segment_bytes(const System& system, const Method& method) {
  const CellPairsParameters parameters =
      cell_pairs_parameters(system.model, {method.neighbor, method.skin, method.cell_share});
  if (2 * parameters.full <= kMaxRegisterLength) return 0;  // no droplet is twice as dense as dense ones
  const std::vector<Vec3<double>>& position = system.particles.position;
  const CellGrid grid(position, central_anchor(position, 1.0), parameters.edge);
  std::uint32_t longest = 0;
  for (const Cell& cell : grid.cells()) longest = std::max(longest, cell.end - cell.begin);
  if (CellPairs::capacity_for(longest) <= kMaxRegisterLength) return 0;
  return std::uint64_t{kCellAxes} * 3 * sizeof(RealElement) * position.size();
}

/// Bytes per atom of lists of two-atom clusters in a liquid. The longest list of a tile and the fullest block, a fifth
/// above the mean, determine the size of all; a list for two atoms is 1.3 times as long as one for a single atom; an
/// eighth is spare capacity.
std::uint64_t two_atom_list_bytes(const PairModel& model, double skin) {
  constexpr double kUneven = 1.2, kForBoth = 1.3, kSpare = 9.0 / 8, kPi = 3.14159;
  const double contact = model.smallest_r_min().value_or(1), density = 1.2 / (contact * contact * contact);
  const double r = model.cutoff() + skin, edge = std::cbrt(kTwoAtomBlockAtoms / density);
  const double ball = 4.0 / 3 * kPi * r * r * r;
  const double near = edge * edge * edge + 6 * edge * edge * r + 3 * kPi * edge * r * r + ball;
  const double words = kUneven * kForBoth * kSpare * density * ball / kWordEntries + 3;
  const double of_words = words * 32 * sizeof(TwoAtomWord) / kTileAtoms;
  const double of_slots = kUneven * kSpare * density * near * sizeof(std::uint32_t) / kTwoAtomBlockAtoms;
  return static_cast<std::uint64_t>(of_words + of_slots);
}

/// of_sort: bytes per atom besides those of CellPairs::bytes().
std::uint64_t bytes_with_cells(const System& system, const Method& method, bool sorted, std::uint64_t of_sort) {
  const std::uint32_t n_atoms = count_of(system);
  const std::uint64_t of_cells = (neighbor_bytes(system.model, method) + of_sort) * n_atoms;
  const std::uint64_t bytes = state_bytes(method.precision, n_atoms, 0) + CellPairs::bytes(n_atoms, sorted) + of_cells;
  return bytes * 3 / 2 + fixed_bytes(system);
}

}  // namespace

std::uint64_t all_pairs_bytes(const System& system, const Method& method) {
  const std::uint32_t n_atoms = count_of(system);
  const std::uint64_t bytes =
      method.precision == Precision::mixed ? all_pairs_bytes_of<float>(n_atoms) : all_pairs_bytes_of<double>(n_atoms);
  const bool may_persist = n_atoms <= PersistentShape::kMostAtoms * kManyMultiprocessors;
  return (bytes + (may_persist ? PersistentSteps::bytes(n_atoms) : 0)) * 9 / 8 + fixed_bytes(system);
}

std::uint64_t cells_bytes(const System& system, const Method& method) {
  return bytes_with_cells(system, method, false, 0);
}

std::uint64_t sorted_cells_bytes(const System& system, const Method& method) {
  constexpr std::uint64_t kEnds = 8, kClasses = 60;
  return bytes_with_cells(system, method, true, kEnds + kClasses) + large_segment_bytes(system, method);
}

std::uint64_t pair_list_bytes(const System& system, const Method& method) {
  const std::uint32_t n_atoms = count_of(system);
  // Entries and clusters near tiles, per atom, with an eighth of spare capacity, and another eighth for other liquids.
  constexpr std::uint64_t kLists = (138 + 71) * 9 / 8;
  constexpr std::uint32_t kMostPersistent =
      PersistentListShape::kMostOfWarp * PersistentListShape::kMostWarps * kManyMultiprocessors;
  const bool two_atom = uses_two_atom_clusters({method.neighbor, method.skin, 0, method.list_form}, system.model,
                                               method.precision, n_atoms);
  const std::uint64_t list =
      two_atom ? TwoAtomList::bytes(n_atoms) + two_atom_list_bytes(system.model, method.skin) * n_atoms
               : PairList::bytes(n_atoms) + kLists * n_atoms;
  const std::uint64_t persistent =
      n_atoms <= kMostPersistent ? PersistentSteps::bytes(n_atoms) + PersistentSteps::list_bytes(n_atoms) : 0;
  const std::uint64_t n_energies = std::uint64_t{kEnergyBlocksPerTile} * tiles_of(n_atoms);
  return state_bytes(method.precision, n_atoms, n_energies) + list + persistent + fixed_bytes(system);
}

}  // namespace dropmd
