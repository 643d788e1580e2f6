#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "core/macros.h"
#include "integrators/constraints/constraint_plan.h"

/// The clusters of constraints of a run as kernels take them.
namespace dropmd {

/// In place of a solver, for an atom without constraints.
struct Unconstrained {
  static constexpr int kAtoms = 1;
};

/// Launch shape of the kernels for molecules.
struct MoleculeTuning {
  static constexpr std::uint32_t kWarps = 2;  ///< of a block; few, so that few molecules occupy many multiprocessors
  static constexpr std::uint32_t kThreads = 32 * kWarps;
  static constexpr std::uint32_t kBlocksPerSm = 6;  ///< which the registers must allow; with more they would spill
  /// Returns the number of blocks for n threads.
  static constexpr std::uint32_t blocks(std::size_t n) {
    return static_cast<std::uint32_t>((n + kThreads - 1) / kThreads);
  }
};

/// Clusters of one kind. Their blocks follow those of the kinds before.
template <class Solver>
struct ClusterView {
  static constexpr std::uint32_t kPerWarp = 32 / Solver::kAtoms;  ///< clusters of a warp, one lane an atom
  static constexpr std::uint32_t kPerBlock = MoleculeTuning::kWarps * kPerWarp;

  const Solver* solver = nullptr;       ///< [n_types]; null: Unconstrained
  const std::uint32_t* type = nullptr;  ///< [n] index of each cluster's solver
  const std::uint32_t* at = nullptr;    ///< [n][kAtoms] storage indices
  std::uint32_t n = 0;
  std::uint32_t first_block = 0;

  DROPMD_HOST_DEVICE std::uint32_t blocks() const { return (n + kPerBlock - 1) / kPerBlock; }
};

/// The kinds for which a kernel is built. Registers for the solvers of all kinds would slow down a kernel for water.
enum class ClusterKinds : std::uint8_t { frequent, all };

/// Whether a kind is frequent: waters and atoms without constraints.
template <class Solver>
inline constexpr bool kIsFrequent = std::is_same_v<Solver, Settle> || std::is_same_v<Solver, Unconstrained>;

/// All kinds of clusters.
struct ClusterViews {
  ClusterView<Settle> settle;
  ClusterView<Unconstrained> loose;
  ClusterView<SmallCluster<StarShape<1>>> star1;
  ClusterView<SmallCluster<StarShape<2>>> star2;
  ClusterView<SmallCluster<StarShape<3>>> star3;
  ClusterView<SmallCluster<StarShape<4>>> star4;
  ClusterView<SmallCluster<TriangleShape>> triangle;
  ClusterView<SmallCluster<TetrahedronShape>> tetrahedron;
  ClusterView<SmallCluster<FourAtomShape>> four;
  std::uint32_t n_blocks = 0;

  /// Returns the blocks of a kernel that loops over clusters: as many as the device holds at a time. Blocks that come
  /// later would wait for others to end first.
  std::uint32_t blocks_at_once(int multiprocessors) const {
    return std::min(n_blocks, MoleculeTuning::kBlocksPerSm * static_cast<std::uint32_t>(multiprocessors));
  }

  /// Returns the kinds that occur.
  ClusterKinds kinds() const {
    auto kinds = ClusterKinds::frequent;
    for_each([&]<class Solver>(const ClusterView<Solver>& view) {
      if (view.n > 0 && !kIsFrequent<Solver>) kinds = ClusterKinds::all;
    });
    return kinds;
  }

  /// Calls use(view) for every kind, in the order of their blocks.
  template <class Use>
  DROPMD_HOST_DEVICE void for_each(const Use& use) const {
    use(settle), use(loose), use(star1), use(star2), use(star3), use(star4), use(triangle), use(tetrahedron), use(four);
  }
  template <class Use>
  void for_each(const Use& use) {
    use(settle), use(loose), use(star1), use(star2), use(star3), use(star4), use(triangle), use(tetrahedron), use(four);
  }
};

}  // namespace dropmd
