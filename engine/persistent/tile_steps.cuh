#pragma once

#include <cstdint>
#include <functional>
#include <optional>

#include "core/run/run_settings.h"
#include "engine/actions/action_list.h"
#include "engine/device/molecules/device_molecules.cuh"
#include "engine/device/step_view.cuh"
#include "engine/methods/method.h"
#include "engine/model/system.h"
#include "engine/persistent/persistent_steps.cuh"
#include "engine/persistent/rigid_tiles.cuh"
#include "forces/pair/cuda/all_pairs/tile_shape.h"
#include "forces/pair/cuda/device_pair_table.cuh"
#include "forces/pair/cuda/partial_energy.cuh"

namespace dropmd {

namespace tile_steps {

/// Warps of a block; a multiprocessor has one block. Each thread then has 128 registers; with more warps the loops over
/// pairs of atoms have too few.
inline constexpr std::uint32_t kWarpsOfBlock = 16;

/// Where a kernel stores the sums of the complete step at the end of its steps; null: they are not wanted.
struct StoredSums {
  StepSums* total = nullptr;
  StepSums* of_tiles = nullptr;       ///< [tiles of the general kernels] parts of the total, like the next
  PartialEnergy* of_pairs = nullptr;  ///< [warps] by their numbers in the grid
};

/// The steps of a launch.
struct StepsOfLaunch {
  std::uint64_t now = 0;  ///< complete step before them
  std::uint32_t n = 0;
  Vec3<double> anchor{};             ///< a point near most of the atoms
  std::uint64_t recenter_every = 0;  ///< steps; 0: never
  bool mass_centre = false;          ///< whether the centre is that of mass instead of the geometric one
  std::uint32_t* barrier = nullptr;  ///< word of GridBarrier
  StoredSums sums;
};

using LaunchSteps = std::function<void(const Cuda&, const StepView<float>&, const StepsOfLaunch&)>;
/// The energies of a complete step. anchor: as above.
using LaunchEnergies =
    std::function<void(const Cuda&, const StepView<float>&, const Vec3<double>& anchor, PartialEnergy* d_partial)>;
struct Launches {
  LaunchSteps steps;
  LaunchEnergies energies;
};

}  // namespace tile_steps

/// Steps of a droplet of atoms, or of rigid waters and atoms, with all pairs, on a share of the GPU. A kernel performs
/// many steps, with one block per multiprocessor of the share: it does what the kernels of general steps do, with a
/// barrier of the grid instead of the end of a kernel. Droplets that run at once would otherwise wait for each other's
/// launches.
///
/// It uses Newton's third law, so droplets that fill a GPU together compute each pair once; PersistentSteps, which does
/// not use it, is faster where a droplet has most of the GPU.
class TileSteps {
 public:
  /// Returns whether such steps suit a run on a share of a GPU: in mixed precision, with velocity Verlet or Langevin
  /// dynamics, all pairs, and untruncated Coulomb forces or none; of atoms without constraints and exclusions, or of
  /// rigid waters whose first atoms alone have a van der Waals term.
  static bool suits(const System& system, const RunSettings& config, const Method& method);
  /// Device memory in bytes, at most.
  static std::uint64_t bytes(const System& system);

  /// molecules: those of the run; they must outlive this. anchor: a point near most of the atoms.
  TileSteps(const Cuda& cuda, const System& system, const RunSettings& config, const Method& method,
            const DeviceMolecules& molecules, const Vec3<double>& anchor);

  void set_anchor(const Vec3<double>& anchor) { steps_.anchor = anchor; }
  /// Returns whether make() performs an action within its steps.
  static bool supports(const Action& action) { return PersistentSteps::supports(action); }

  /// Performs n steps from the complete step `from`, whose forces are in the sums, and completes the last one. sums:
  /// where to store those of the last step; of_pairs has n_partial_energies() elements.
  void make(const Cuda& cuda, const StepView<float>& step, std::int64_t from, std::int64_t n,
            const tile_steps::StoredSums& sums);

  /// Computes the energies of the pairs of a complete step. d_partial: [n_partial_energies()].
  void energies(const Cuda& cuda, const StepView<float>& step, PartialEnergy* d_partial) const {
    launch_.energies(cuda, step, steps_.anchor, d_partial);
  }
  /// Adds up what kernels have stored for a complete step, in the order in which make() does.
  void add_up(const Cuda& cuda, std::uint32_t n_tiles, const tile_steps::StoredSums& sums) const;
  std::uint32_t n_partial_energies() const { return static_cast<std::uint32_t>(d_items_.size()); }

 private:
  /// Divides the pairs of n molecules, or atoms, among the warps, and returns their tiles. at: as in the view.
  template <int kPlaces>
  rigid_tiles::RigidTilesView<kPlaces> tiles_of(const Cuda& cuda, const PairModel& model, const std::uint32_t* at,
                                                std::uint32_t n);
  tile_steps::Launches launch_atoms(const Cuda& cuda, const System& system, const RunSettings& config);
  tile_steps::Launches launch_molecules(const Cuda& cuda, const System& system, const RunSettings& config,
                                        const DeviceMolecules& molecules);
  template <class Solver>
  tile_steps::Launches launch_molecules(const Cuda& cuda, const System& system, const RunSettings& config,
                                        const ClusterViews& clusters, const ClusterView<Solver>& whole);

  std::uint32_t blocks_;
  tile_steps::StepsOfLaunch steps_;  ///< the part that all launches share
  DevicePairTable<float> table_;
  DeviceBuffer<std::uint32_t> d_barrier_;     ///< [1]
  DeviceBuffer<WarpItems> d_items_;           ///< [warps]
  DeviceBuffer<rigid_tiles::Place> d_place_;  ///< this and the next ones: RigidTilesView
  DeviceBuffer<LocalAtom<float>> d_near_;
  DeviceBuffer<rigid_tiles::Place> d_middle_;
  DeviceBuffer<std::uint32_t> d_species_;
  tile_steps::Launches launch_;
};

}  // namespace dropmd
