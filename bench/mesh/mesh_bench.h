#pragma once

#include <array>
#include <cstddef>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "engine/methods/method.h"
#include "inputs/run_file/run_config.h"

namespace dropmd {

/// What is timed besides sizes: benchmark droplets with an untruncated Coulomb term and a mesh. Meshes are fitted to
/// their error as in a run, except where a spacing is given.
struct MeshBenchPlan {
  std::vector<double> accuracies{kUsualMeshAccuracy};
  std::vector<int> orders{};       ///< of the B-splines; empty: chosen
  std::vector<double> spacings{};  ///< length; empty: chosen for the accuracy
  std::optional<double> cutoff{};  ///< of the pairs, length; nullopt: chosen
  bool random = false;             ///< atoms at random places and charges of random signs instead of a lattice
  double vapour = 0;               ///< fraction of the atoms at random places within ten radii of the droplet, below 1
};

/// The time of a part of an evaluation of forces.
struct MeshBenchRow {
  std::size_t n_atoms = 0;
  std::size_t n_outside = 0;  ///< charges outside of the mesh
  double accuracy = 0;        ///< requested
  double error = 0;           ///< estimated
  double measured_error = 0;  ///< of at most 1,024 atoms: RMS of the forces over the RMS Coulomb force
  int order = 0;
  double cutoff = 0, spacing = 0;  ///< length
  std::array<int, 3> points{};     ///< of the mesh, without padding
  Method method;
  /// A GPU: spread, transforms, gather, energies. A CPU: "spread, gather" and transforms. Then outside (what the term
  /// takes beyond these, if charges are outside of the mesh), mesh (the whole term), pairs, and evaluation: mesh and
  /// pairs one after the other, while steps on a GPU compute them side by side.
  std::string part;
  double time_us = 0;                ///< device time on a GPU; of pairs, that of the kernel alone
  std::optional<double> limit_us{};  ///< MeshLimits; nullopt: none is stated
};

using ShowMeshRow = std::function<void(const MeshBenchRow&)>;

/// Times the parts of the mesh of benchmark droplets (bench/benchmark_droplet.h, Lennard-Jones cut) at each size and
/// accuracy, in both precisions or only in `only`, on the processors that the backend word of `choices` allows. `show`
/// receives each row when it is complete. Throws InputError for an accuracy that is not possible, and for a spacing
/// that is too wide for it.
std::vector<MeshBenchRow> bench_mesh(const RunConfig& choices, std::optional<Precision> only,
                                     std::span<const std::size_t> sizes, const MeshBenchPlan& plan,
                                     const ShowMeshRow& show);

/// The same for the atoms and the model of a run, whose Coulomb term gets a mesh if it is untruncated.
std::vector<MeshBenchRow> bench_mesh_of_run(const RunConfig& config, const ShowMeshRow& show);

}  // namespace dropmd
