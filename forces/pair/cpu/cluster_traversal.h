#pragma once

#include <algorithm>
#include <atomic>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "core/errors.h"
#include "core/parallel_for.h"
#include "core/vector_bytes.h"
#include "forces/pair/cpu/cluster_kernel.h"
#include "forces/pair/pair_forces.h"
#include "forces/pair/pair_table.h"
#include "forces/pair/with_physics.h"

namespace dropmd {

/// Pair forces over a cluster list, which is kept until an atom has moved by more than half the skin. Groups of
/// clusters are distributed to threads, and their forces are added in the order of the groups.
template <class Real>
class ClusterTraversal final : public PairForces {
 public:
  ClusterTraversal(Cpu cpu, PairModel model, PairAtoms atoms, double skin);

  PairSums evaluate(std::span<const Vec3<double>> position, std::span<Vec3<double>> force, Want want) override;
  bool keeps_list() const override { return true; }
  void discard_list() override { built_at_.clear(); }
  std::span<const Vec3<double>> list_positions() const override { return built_at_; }
  void build_list(std::span<const Vec3<double>> position) override { build(position); }
  std::uint64_t list_bytes() const override { return list_.bytes() + bytes_of(force_) + bytes_of(built_at_); }

 private:
  using Lane = Pack<Real>;
  static constexpr std::uint32_t kWidth = ClusterAtoms<Real>::kWidth;

  bool follow(std::span<const Vec3<double>> position);
  void build(std::span<const Vec3<double>> position);
  void set_species();
  template <template <class> class Coefficients>
  void set_coefficients();
  void sum_pairs(bool energies);
  template <bool kEnergies, class Physics>
  void sum_groups(const ClusterContext<Real, Physics>& context, const Physics& physics);
  void collect(std::span<Vec3<double>> force) const;

  Cpu cpu_;
  PairModel model_;
  PairAtoms atoms_;
  double skin_;
  PositionGrid grid_;
  PairTable<Real> table_;
  std::vector<Vec3<double>> built_at_;  ///< [n_atoms]; empty before the first build
  AtomClusters clusters_;
  ClusterAtoms<Real> local_;
  ClusterList list_;
  std::vector<std::uint32_t> species_;     ///< [n_clusters][width]
  PairTable<Lane> coefficients_;           ///< as in ClusterContext
  std::vector<ClusterForce<Real>> force_;  ///< [slots of all groups]
  std::vector<PairTotals> sums_;           ///< [groups]
};

template <class Real>
ClusterTraversal<Real>::ClusterTraversal(Cpu cpu, PairModel model, PairAtoms atoms, double skin)
    : cpu_(cpu),
      model_(std::move(model)),
      atoms_(atoms),
      skin_(skin),
      grid_(PositionGrid::for_contact_distance(model_.smallest_r_min())),
      table_(pair_table<Real>(model_)) {}

template <class Real>
PairSums ClusterTraversal<Real>::evaluate(std::span<const Vec3<double>> position, std::span<Vec3<double>> force,
                                          Want want) {
  if (built_at_.empty() || !follow(position)) build(position);
  sum_pairs(want == Want::forces_and_energies);
  collect(force);
  std::uint64_t candidate_pairs = 0;
  for (const ClusterGroupList& group : list_.groups) candidate_pairs += group.candidate_pairs;
  return sums_of(sums_, candidate_pairs, want);
}

/// Updates the local positions; returns false if the list is no longer valid for them.
template <class Real>
bool ClusterTraversal<Real>::follow(std::span<const Vec3<double>> position) {
  std::atomic<bool> holds = true;
  parallel_for(cpu_, clusters_.groups.size(), [&](std::size_t g) {
    const ClusterGroup& group = clusters_.groups[g];
    if (holds.load(std::memory_order_relaxed) && !local_.follow(group.begin, group.end, position, 0.5 * skin_))
      holds.store(false, std::memory_order_relaxed);
  });
  return holds;
}

template <class Real>
void ClusterTraversal<Real>::build(std::span<const Vec3<double>> position) {
  built_at_.assign(position.begin(), position.end());
  // Far enough to be outside all cutoffs, but not so far that pair terms become denormal.
  constexpr double kFar = 1e5;
  const double list_cutoff = model_.cutoff() + skin_;
  clusters_ = make_clusters(cpu_, position, kWidth, ClusterAtoms<Real>::max_extent(grid_));
  local_.assign(cpu_, clusters_, grid_, position, atoms_.charge, kFar + 4 * list_cutoff);
  list_.build(cpu_, clusters_, local_, list_cutoff,
              std::is_same_v<Real, float> ? grid_.near_distance + skin_ : list_cutoff, atoms_.excluded);
  set_species();
  force_.resize(list_.n_slots);
  sums_.resize(list_.groups.size());
}

template <class Real>
void ClusterTraversal<Real>::set_species() {
  species_.assign(clusters_.atom.size(), 0);
  for (std::size_t k = 0; k < species_.size(); ++k)
    if (clusters_.atom[k] != kNoAtom) species_[k] = atoms_.species[clusters_.atom[k]];
  if (model_.born_mayer)
    set_coefficients<BornMayerCoefficients>();
  else
    set_coefficients<LjCoefficients>();
}

template <class Real>
template <template <class> class Coefficients>
void ClusterTraversal<Real>::set_coefficients() {
  constexpr std::size_t kMostTableBytes = std::size_t{1} << 32U;
  const std::size_t n = model_.n_species, n_sets = n == 1 ? 1 : clusters_.size() * n;
  const std::vector<Coefficients<Real>>& table = table_.template of<Coefficients<Real>>();
  std::vector<Coefficients<Lane>>& sets = coefficients_.template of<Coefficients<Lane>>();
  if (n_sets > kMostTableBytes / sizeof(sets[0]))
    throw InputError("neighbor method 'pair-list' has no room for the pair parameters of " +
                     std::to_string(atoms_.species.size()) + " atoms and " + std::to_string(n) +
                     " species, more than 4 GiB on a CPU (use cells or sorted-cells)");
  sets.resize(n_sets);
  parallel_for(cpu_, sets.size(), [&](std::size_t k) {
    const std::size_t cluster = k / n, mine = k % n;
    sets[k] = gathered_coefficients<Coefficients, Lane>([&](std::uint32_t lane) {
      const std::size_t theirs = n == 1 ? 0 : species_[cluster * kWidth + lane];
      return table[mine * n + theirs];
    });
  });
}

template <class Real>
void ClusterTraversal<Real>::sum_pairs(bool energies) {
  const double cutoff = model_.cutoff();
  with_cut_physics<Real>(model_, [&]<class Physics>(const Physics& physics) {
    const ClusterContext<Real, Physics> context{clusters_,
                                                local_,
                                                species_,
                                                coefficients_.template of<CoefficientsOf<Physics, Lane>>(),
                                                model_.n_species,
                                                static_cast<Real>(model_.coulomb_constant),
                                                static_cast<Real>(cutoff * cutoff)};
    if constexpr (std::is_same_v<Real, float>)
      if (!energies) return sum_groups<false>(context, physics);
    sum_groups<true>(context, physics);
  });
}

template <class Real>
template <bool kEnergies, class Physics>
void ClusterTraversal<Real>::sum_groups(const ClusterContext<Real, Physics>& context, const Physics& physics) {
  using Kernel = ClusterKernel<Real, Physics>;
  parallel_for_with(
      cpu_, list_.groups.size(), 1, [&] { return Kernel(context, physics); },
      [&](Kernel& kernel, std::size_t g) {
        const ClusterGroupList& list = list_.groups[g];
        ClusterForce<Real>* const force = force_.data() + list.first_slot;
        std::fill_n(force, list.touched.size(), ClusterForce<Real>{});
        sums_[g] = kernel.template add_group<kEnergies>(clusters_.groups[g], list, force);
      });
}

template <class Real>
void ClusterTraversal<Real>::collect(std::span<Vec3<double>> force) const {
  parallel_for(cpu_, clusters_.size(), [&](std::size_t c) {
    ClusterForce<Real> sum{};
    for (std::size_t p = list_.first_cluster_slot[c]; p < list_.first_cluster_slot[c + 1]; ++p) {
      const ClusterForce<Real>& part = force_[list_.cluster_slots[p]];
      for (std::uint32_t lane = 0; lane < kWidth; ++lane) {
        sum.x[lane] += part.x[lane];
        sum.y[lane] += part.y[lane];
        sum.z[lane] += part.z[lane];
      }
    }
    const auto atoms = clusters_.atoms_of(static_cast<std::uint32_t>(c));
    for (std::uint32_t lane = 0; lane < atoms.size(); ++lane)
      force[atoms[lane]] = {sum.x[lane], sum.y[lane], sum.z[lane]};
  });
}

extern template class ClusterTraversal<float>;
extern template class ClusterTraversal<double>;

}  // namespace dropmd
