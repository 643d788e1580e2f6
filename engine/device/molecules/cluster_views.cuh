#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "core/macros.h"
#include "integrators/constraints/constraint_plan.h"
#include "integrators/virtual_sites/linear_sites.h"

/// The clusters of constraints of a run as kernels take them.
namespace dropmd {

/// Takes the place of a solver for an atom without constraints.
struct Unconstrained {
  static constexpr int kAtoms = 1;
};

/// A rigid water with a virtual site whose parents are its atoms, in their order. The site belongs to the cluster:
/// while the atoms are in registers, they receive its force and it is placed.
struct SettleAndSite {
  static constexpr int kAtoms = Settle::kAtoms;  ///< without the site

  Settle settle;
  SiteOfThree site;

  friend bool operator==(const SettleAndSite&, const SettleAndSite&) = default;
};

/// Returns what solves a cluster's constraints.
template <class Solver>
DROPMD_HOST_DEVICE const Solver& constraints_of(const Solver& solver) {
  return solver;
}
DROPMD_HOST_DEVICE inline const Settle& constraints_of(const SettleAndSite& solver) { return solver.settle; }

/// Whether a cluster has a virtual site, which follows its atoms.
template <class Solver>
inline constexpr bool kHasSite = std::is_same_v<Solver, SettleAndSite>;
/// Lanes of a cluster: one for each atom and for the site.
template <class Solver>
inline constexpr int kLanesOf = Solver::kAtoms + (kHasSite<Solver> ? 1 : 0);

/// Launch shape of the kernels for molecules.
struct MoleculeTuning {
  static constexpr std::uint32_t kWarps = 2;  ///< of a block; few, so that few molecules occupy many multiprocessors
  static constexpr std::uint32_t kThreads = 32 * kWarps;
  static constexpr std::uint32_t kBlocksPerSm = 6;  ///< the registers must suffice; with more blocks they would spill
  /// Returns the number of blocks for n threads.
  static constexpr std::uint32_t blocks(std::size_t n) {
    return static_cast<std::uint32_t>((n + kThreads - 1) / kThreads);
  }
};

/// Clusters of one kind. Their blocks follow those of the previous kinds.
template <class Solver>
struct ClusterView {
  static constexpr std::uint32_t kPerWarp = 32 / kLanesOf<Solver>;  ///< clusters of a warp
  static constexpr std::uint32_t kPerBlock = MoleculeTuning::kWarps * kPerWarp;

  const Solver* solver = nullptr;       ///< [n_types]; null: Unconstrained
  const std::uint32_t* type = nullptr;  ///< [n] index of each cluster's solver
  const std::uint32_t* at = nullptr;    ///< [n][kLanesOf] storage indices
  std::uint32_t n = 0;
  std::uint32_t first_block = 0;

  DROPMD_HOST_DEVICE std::uint32_t blocks() const { return (n + kPerBlock - 1) / kPerBlock; }
};

/// The kinds for which a kernel is built. Registers for the solvers of all kinds would slow down a kernel for water.
enum class ClusterKinds : std::uint8_t { frequent, frequent_with_sites, all };

/// Whether a kind is frequent: waters and atoms without constraints.
template <class Solver>
inline constexpr bool kIsFrequent =
    std::is_same_v<Solver, Settle> || std::is_same_v<Solver, SettleAndSite> || std::is_same_v<Solver, Unconstrained>;
/// Whether a kind is among these.
template <class Solver, ClusterKinds kKinds>
inline constexpr bool kIsAmong = kKinds == ClusterKinds::all ||
                                 (kIsFrequent<Solver> && (kKinds != ClusterKinds::frequent || !kHasSite<Solver>));

/// All kinds of clusters.
struct ClusterViews {
  ClusterView<Settle> settle;
  ClusterView<SettleAndSite> settle_and_site;
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
    bool all = false;
    for_each([&]<class Solver>(const ClusterView<Solver>& view) {
      if (view.n > 0 && !kIsFrequent<Solver>) all = true;
    });
    if (all) return ClusterKinds::all;
    return settle_and_site.n > 0 ? ClusterKinds::frequent_with_sites : ClusterKinds::frequent;
  }

  /// Calls use(view) for every kind, in the order of their blocks.
  template <class Use>
  DROPMD_HOST_DEVICE void for_each(const Use& use) const {
    use(settle), use(settle_and_site), use(loose), use(star1), use(star2), use(star3), use(star4), use(triangle),
        use(tetrahedron), use(four);
  }
  template <class Use>
  void for_each(const Use& use) {
    use(settle), use(settle_and_site), use(loose), use(star1), use(star2), use(star3), use(star4), use(triangle),
        use(tetrahedron), use(four);
  }
};

/// Calls use.template operator()<kKinds>() for the kinds that occur.
template <class Use>
void with_cluster_kinds(ClusterKinds kinds, const Use& use) {
  switch (kinds) {
    case ClusterKinds::frequent:
      return use.template operator()<ClusterKinds::frequent>();
    case ClusterKinds::frequent_with_sites:
      return use.template operator()<ClusterKinds::frequent_with_sites>();
    case ClusterKinds::all:
      return use.template operator()<ClusterKinds::all>();
  }
}

}  // namespace dropmd
