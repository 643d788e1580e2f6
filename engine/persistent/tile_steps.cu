#include "engine/persistent/tile_steps.cuh"

#include <algorithm>
#include <cmath>
#include <vector>

#include "engine/model/pair_atoms.h"
#include "engine/molecules/motion_plans.h"
#include "engine/persistent/tile_steps_launch.cuh"

namespace dropmd {

namespace {

/// Other kernels, and a stop of the run, may have to wait for a kernel as long as it keeps its multiprocessors.
constexpr std::int64_t kMostSteps = 1000;

bool has_untruncated_coulomb(const PairModel& model) {
  return limits_of(model) == Limits::none ||
         (model.lj && model.coulomb && std::isinf(PairModel::cutoff_of(model.coulomb)));
}

/// Whether the droplet consists of atoms without constraints and exclusions, or of suitable rigid molecules.
bool molecules_suit(const System& system) {
  if (!moves_by_clusters(system)) return n_excluded(system) == 0;
  const std::optional<RigidMolecules> molecules = RigidMolecules::of(system);
  return molecules && molecules->only_first_has_vdw;
}

__global__ void store_total_kernel(tile_steps::StoredSums sums, std::uint32_t n_tiles, std::uint32_t n_warps) {
  tile_steps::store_total(sums, n_tiles, n_warps);
}

}  // namespace

bool TileSteps::suits(const System& system, const RunSettings& config, const Method& method) {
  return method.multiprocessors > 0 && !method.has_peers() && method.precision == Precision::mixed &&
         method.neighbor == NeighborMethod::all_pairs && !system.model.born_mayer && system.terms.empty() &&
         has_untruncated_coulomb(system.model) && has_persistent_motion(config) &&
         system.particles.size() <= DeviceMolecules::kMostAccelerated && molecules_suit(system);
}

std::uint64_t TileSteps::bytes(const System& system) {
  using namespace rigid_tiles;
  const std::uint64_t n = system.particles.size() + kIMolecules<1>;
  const std::uint64_t n_places = (moves_by_clusters(system) ? 4 : 1) * n;  // an atom has as many as a water
  const std::uint64_t warps = tile_steps::kWarpsOfBlock * static_cast<std::uint64_t>(kMostMultiprocessors);
  return DevicePairTable<float>::bytes(system.model) + (sizeof(Place) + sizeof(LocalAtom<float>)) * n_places +
         (sizeof(Place) + sizeof(std::uint32_t)) * n + (sizeof(WarpItems) + sizeof(PartialEnergy)) * warps;
}

TileSteps::TileSteps(const Cuda& cuda, const System& system, const RunSettings& config, const Method& method,
                     const DeviceMolecules& molecules, const Vec3<double>& anchor)
    : blocks_(static_cast<std::uint32_t>(multiprocessors_of(method))),
      table_(cuda.stream, system.model),
      d_barrier_(cuda.stream),
      d_items_(cuda.stream),
      d_place_(cuda.stream),
      d_near_(cuda.stream),
      d_middle_(cuda.stream),
      d_species_(cuda.stream) {
  set_anchor(anchor);
  d_barrier_.resize(1);
  d_barrier_.zero();
  steps_.barrier = d_barrier_.data();
  const ActionList actions = actions_of(config, system);
  if (const auto* centring = actions.find<Recentring>(); centring != nullptr && centring->which != Recenter::none)
    if (supports(*centring)) {
      steps_.recenter_every = static_cast<std::uint64_t>(centring->every);
      steps_.mass_centre = centring->which == Recenter::mass;
    }
  launch_ = molecules.any() ? launch_molecules(cuda, system, config, molecules) : launch_atoms(cuda, system, config);
}

tile_steps::Launches TileSteps::launch_atoms(const Cuda& cuda, const System& system, const RunSettings& config) {
  using namespace tile_steps;
  const auto n_atoms = static_cast<std::uint32_t>(system.particles.size());
  const auto tiles = tiles_of<1>(cuda, system.model, nullptr, n_atoms);
  Launches launch;
  const std::uint64_t n_atom_pairs = std::uint64_t{n_atoms} * (std::uint64_t{n_atoms} - 1) / 2;
  with_pairs_of(
      system.model, tiles, table_.view(), d_items_.data(), system.model.n_species == 1, n_atom_pairs,
      [&](const auto& pairs) { launch = launch_with(cuda, system, config, blocks_, pairs, AtomMover{tiles}); });
  return launch;
}

void TileSteps::make(const Cuda& cuda, const StepView<float>& step, std::int64_t from, std::int64_t n,
                     const tile_steps::StoredSums& sums) {
  tile_steps::StepsOfLaunch steps = steps_;
  for (std::int64_t done = 0; done < n; done += kMostSteps) {
    steps.now = static_cast<std::uint64_t>(from + done);
    steps.n = static_cast<std::uint32_t>(std::min(n - done, kMostSteps));
    if (done + kMostSteps >= n) steps.sums = sums;
    launch_.steps(cuda, step, steps);
  }
}

void TileSteps::add_up(const Cuda& cuda, std::uint32_t n_tiles, const tile_steps::StoredSums& sums) const {
  store_total_kernel<<<1, 32, 0, cuda.get()>>>(sums, n_tiles, n_partial_energies());
  DROPMD_CUDA_LAUNCHED("adding up the sums of a step");
}

}  // namespace dropmd
