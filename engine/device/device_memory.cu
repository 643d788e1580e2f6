#include "engine/device/device_memory.h"

#include <algorithm>
#include <optional>

#include "device/cub_scratch.h"
#include "engine/device/device_atoms.cuh"
#include "engine/device/field_forces.cuh"
#include "engine/device/ordering/mobility.cuh"
#include "engine/device/ordering/spatial_sort.cuh"
#include "engine/device/rotation_removal.cuh"
#include "engine/device/step_sums.cuh"
#include "engine/persistent/persistent_steps.cuh"
#include "engine/persistent/tile_steps.cuh"
#include "forces/pair/cuda/device_pairs.cuh"

/// Adds up what the owners of device memory say that they need.
namespace dropmd {

namespace {

constexpr auto kMultiprocessors = static_cast<std::uint32_t>(kMostMultiprocessors);

// The remaining 64 KiB are for buffers of a few words, such as the integrator, the search state and the energies.
static_assert(StepReduction::kFixedBytes + RotationRemoval::kFixedBytes + PairList::kFixedBytes + (64U << 10U) <=
              kFixedBufferBytes);

std::uint32_t count_of(const System& system) { return static_cast<std::uint32_t>(system.particles.size()); }

/// Bytes that every run needs. n_partial_energies: of the pairs.
template <class Real>
std::uint64_t run_bytes(const System& system, std::uint64_t n_partial_energies) {
  const std::uint32_t n_atoms = count_of(system);
  std::uint64_t bytes = kFixedDeviceBytes + DeviceAtoms<Real>::bytes(system) +
                        DevicePairTable<Real>::bytes(system.model) + DeviceState::bytes(n_atoms) +
                        ForceSums<Real>::bytes(n_atoms) +  // copies of FaultRecovery
                        StepReduction::bytes(tiles_of(n_atoms), n_partial_energies) + SpatialSort::bytes(n_atoms) +
                        Mobility::bytes(n_atoms);
  for (const auto& term : system.terms) bytes += term->device_bytes(n_atoms);
  bytes += DeviceForces<Real>::slow_bytes(system.terms, system.outer, n_atoms);
  if (!system.fields.empty()) bytes += FieldForces::bytes(n_atoms);
  return bytes;
}
std::uint64_t run_bytes(const System& system, Precision precision, std::uint64_t n_partial_energies) {
  return precision == Precision::mixed ? run_bytes<float>(system, n_partial_energies)
                                       : run_bytes<double>(system, n_partial_energies);
}

/// A run by a persistent kernel also has all-pairs forces, which it does not use.
template <class Real>
std::uint64_t all_pairs_bytes_of(const System& system) {
  const std::uint32_t n_atoms = count_of(system);
  return run_bytes<Real>(system, TileForces<Real>::n_items(n_atoms, kMultiprocessors)) +
         TileForces<Real>::bytes(n_atoms, kMultiprocessors) +
         (n_excluded(system) == 0 ? 0 : ExcludedTiles::bytes(n_atoms));
}

std::uint64_t bytes_with_cells(const System& system, const Method& method) {
  const CellPairsParameters parameters =
      cell_pairs_parameters(system.model, {method.neighbor, method.skin, method.cell_share});
  return run_bytes(system, method.precision, CellPairs::n_partial_energies(kMultiprocessors)) +
         CellPairs::estimated_bytes(system.particles.position, parameters);
}

}  // namespace

std::uint64_t all_pairs_bytes(const System& system, const Method& method) {
  if (method.precision != Precision::mixed) return all_pairs_bytes_of<double>(system);
  const std::uint64_t persistent = PersistentSteps::most_bytes(system, method).value_or(0),
                      on_share = method.multiprocessors > 0 ? TileSteps::bytes(system) : 0;
  return all_pairs_bytes_of<float>(system) + std::max(persistent, on_share);
}

std::uint64_t cells_bytes(const System& system, const Method& method) { return bytes_with_cells(system, method); }

std::uint64_t sorted_cells_bytes(const System& system, const Method& method) {
  return bytes_with_cells(system, method);
}

std::uint64_t pair_list_bytes(const System& system, const Method& method) {
  const std::uint32_t n_atoms = count_of(system);
  const bool two_atom = uses_two_atom_clusters({method.neighbor, method.skin, 0, method.list_form}, system.model,
                                               method.precision, n_atoms);
  const std::uint64_t bytes =
      two_atom
          ? run_bytes(system, method.precision, TwoAtomList::n_partial_energies(n_atoms)) +
                TwoAtomList::estimated_bytes(n_atoms, system.model.cutoff() + method.skin, liquid_density(system.model))
          : run_bytes(system, method.precision, PairList::n_partial_energies(n_atoms)) +
                PairList::estimated_bytes(n_atoms, system.model.n_species > 1, n_excluded(system) > 0);
  // Which of the two kinds of lists it is depends on the device and the integrator.
  const std::optional<std::uint64_t> persistent = PersistentSteps::most_bytes(system, method);
  return persistent ? std::max(bytes, all_pairs_bytes_of<float>(system) + *persistent) : bytes;
}

}  // namespace dropmd
