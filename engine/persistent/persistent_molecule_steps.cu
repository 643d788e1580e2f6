#include <algorithm>
#include <cmath>
#include <optional>
#include <tuple>

#include "device/shared_memory.cuh"
#include "engine/persistent/persistent_launch.cuh"
#include "engine/persistent/persistent_molecule_kernel.cuh"
#include "engine/persistent/persistent_steps.cuh"
#include "engine/persistent/with_motion.h"
#include "forces/pair/with_physics.h"
#include "neighbor/position_grid.h"

/// Launches persistent steps of molecules.
namespace dropmd {

namespace {

static_assert(PersistentMoleculeShape::kMostGpus == PersistentPeers::kMost + 1);

/// The Coulomb forms with a cutoff that have kernels of their own; the others are chosen at run time.
template <class Real>
using SpecializedCutoffs = std::tuple<CoulombEven<Real>>;

/// Returns the shared memory of a block: the positions of all places.
std::size_t position_bytes(std::size_t n_places) { return 2 * sizeof(LocalAtom<float>) * n_places; }

/// Returns the shared memory that a device allows for positions, besides what the kernel declares.
std::size_t most_position_bytes(int device) {
  using namespace persistent;
  constexpr std::size_t kDeclared =
      sizeof(MoleculeSums<PersistentMoleculeShape::kMostPlaces>) + sizeof(CentreSum) + 1024;
  return most_shared_bytes(device) - kDeclared;
}

/// Returns the largest distance of an atom of a water from its first one.
double radius_of(const SettleAndSite& solver, bool has_sites) {
  const Settle& settle = solver.settle;
  const double leg = settle.triangle.length[0];
  if (!has_sites) return leg;
  // The site is between the atoms, or at most as far behind the first one.
  return leg * std::max({1.0, std::fabs(solver.site.a) + std::fabs(solver.site.b)});
}

template <class Solver>
PersistentMolecules<Solver> molecules_of(const ClusterView<Solver>& all, const Solver& solver,
                                         const WholeMolecules& whole, const PairModel& model,
                                         std::uint32_t multiprocessors, std::uint32_t gpus) {
  const double between = 2 * radius_of(whole.solver, kHasSite<Solver>);
  // Unlike positions on a PositionGrid, these are not finer for small atoms, so the contacts of all atoms count.
  double contact = 1;
  for (const Contact& pair : model.contacts()) contact = std::max(contact, pair.distance);
  const double near = PositionGrid::for_contact_distance(contact).near_distance;
  // The distance of the first places is found without low-order parts.
  constexpr double kMargin = 1.0005;
  const double near_first = kMargin * (near + between), most_first = kMargin * (model.cutoff() + between);
  return {all,
          solver,
          PersistentMoleculeShape::for_molecules(all.n, multiprocessors, gpus),
          whole.only_first_has_vdw,
          static_cast<float>(near_first * near_first),
          static_cast<float>(most_first)};
}

}  // namespace

bool PersistentSteps::molecules_suit(const RigidMolecules& molecules, const Method& method) {
  const std::size_t n = molecules.at.size();
  // The same on several GPUs, so that results do not depend on their number.
  const auto shape = PersistentMoleculeShape::for_molecules(static_cast<std::uint32_t>(n),
                                                            static_cast<std::uint32_t>(multiprocessors_of(method)));
  return shape.molecules <= PersistentMoleculeShape::kMostMolecules && n <= kMostPersistentSums &&
         position_bytes(n * molecules.n_places) <= most_position_bytes(method.device);
}

template <class Motion, class Solver>
PersistentSteps::Launch PersistentSteps::launch_molecules(const Cuda& cuda, const System& system, const Motion& motion,
                                                          const PersistentMolecules<Solver>& molecules) {
  const std::uint32_t n_places = molecules.all.n * kLanesOf<Solver>;
  blocks_ = molecules.shape.blocks;
  share_blocks(molecules.shape.molecules * kLanesOf<Solver>, n_places, molecules.all.at);
  n_sums_ = molecules.all.n;
  own_.begin_sum = own_.begin / kLanesOf<Solver>;
  own_.end_sum = own_.end / kLanesOf<Solver>;
  set_packets(n_places);
  Launch launch;
  const auto use = [&]<class Physics>(const Physics& physics) {
    const auto kernel = persistent_molecule_kernel<Physics, Motion, Solver>;
    const std::uint32_t n_movers =
        PersistentMoleculeShape::movers(molecules.shape.molecules, ClusterView<Solver>::kPerWarp);
    const PersistentGrid grid{own_.end_block - own_.begin_block, molecules.shape.threads + n_movers,
                              position_bytes(n_places), most_position_bytes(cuda.stream.device())};
    launch = persistent_launch(kernel, grid, table_.view(), physics, motion, molecules);
  };
  const std::optional<FormChoice>& coulomb = system.model.coulomb;
  if (coulomb && find_form(CoulombEven<float>::forms(), coulomb->form) != nullptr)
    with_specialized_physics_of<SpecializedCutoffs, float, Limits::separate>(system.model, use);
  else
    with_untruncated_physics<float>(system.model, [&]<class Physics>(const Physics& physics) {
      if constexpr (std::is_same_v<CoefficientsOf<Physics, float>, LjCoefficients<float>>) use(physics);  // may_suit()
    });
  return launch;
}

PersistentSteps::Launch PersistentSteps::launch_molecules(const Cuda& cuda, const System& system,
                                                          const RunSettings& config, const WholeMolecules& whole) {
  Launch launch;
  with_persistent_motion(system, config, [&](const auto& motion) {
    const auto with_solver = [&]<class Solver>(const ClusterView<Solver>& all, const Solver& solver) {
      if (all.n > 0)
        launch = launch_molecules(cuda, system, motion,
                                  molecules_of(all, solver, whole, system.model, multiprocessors_, share_.size));
    };
    with_solver(whole.without_sites, whole.solver.settle);
    with_solver(whole.with_sites, whole.solver);
  });
  return launch;
}

}  // namespace dropmd
