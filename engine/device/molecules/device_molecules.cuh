#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <tuple>
#include <type_traits>
#include <vector>

#include "device/buffer.cuh"
#include "engine/device/device_state.cuh"
#include "engine/device/molecules/rigid_molecules.cuh"
#include "engine/device/molecules/site_kernels.cuh"
#include "engine/device/molecules/sorted_rows.cuh"
#include "engine/device/molecules/waters_with_sites.cuh"
#include "engine/molecules/motion_plans.h"
#include "forces/term_atoms.cuh"

namespace dropmd {

/// The constraints and virtual sites of a run on the device. A run with neither has no memory here, and its steps are
/// performed by tiles of atoms.
class DeviceMolecules {
 public:
  /// Most atoms of a droplet that a persistent kernel may take; beyond, nobody needs to find out whether it does.
  static constexpr std::uint64_t kMostAccelerated = 1U << 14U;

  /// minimizes: whether forces are projected on the constraints; has_whole: whether the kernel of the steps takes whole
  /// molecules, which must be RigidMolecules.
  DeviceMolecules(const Stream& stream, const System& system, bool minimizes, bool has_whole)
      : rows_(stream),
        weighted_(stream),
        d_parameters_(stream),
        d_start_(stream),
        d_weight_(stream),
        d_arrived_(stream),
        d_projected_(stream) {
    const ConstraintPlan constraints = constraints_of(system);
    const VirtualSitePlan sites = virtual_sites_of(system);
    if (constraints.n_constraints == 0 && sites.n_sites() == 0) return;
    std::vector<unsigned char> parameters;
    std::vector<std::function<void()>> when_uploaded;  // pointers are set when all arrays are complete
    // Forces can be projected, and slow ones kept, only after those on sites have been passed on.
    const bool has_slow_forces = system.outer.has_inner();
    const WatersWithSites waters =
        minimizes || has_slow_forces ? WatersWithSites{} : WatersWithSites(constraints, sites);
    add_clusters(constraints, waters, system.particles.mass, parameters, when_uploaded);
    add_sites(sites, {}, sites_, parameters, when_uploaded);
    add_sites(sites, waters.has_site, loose_sites_, parameters, when_uploaded);
    if (has_whole) add_whole(RigidMolecules::of(system).value(), when_uploaded);
    d_parameters_.upload(parameters);
    d_arrived_.resize(1);
    d_arrived_.zero();
    rows_.upload({stream}, system.particles.size());
    if (!sites.weighted.site.empty()) add_weighted_sites({stream}, sites.weighted, system.particles.size());
    if (minimizes) d_projected_.resize(system.particles.size());
    for (const auto& set : when_uploaded) set();
  }

  /// Whether steps have to be performed for clusters.
  bool any() const { return clusters_.n_blocks > 0; }
  bool has_sites() const { return sites_.n_blocks > 0; }
  const ClusterViews& clusters() const { return clusters_; }
  /// [1] counts blocks, for advance_clocks().
  std::uint32_t* arrived() const { return d_arrived_.data(); }
  const SiteViews& sites() const { return sites_; }
  /// The sites that belong to no cluster of clusters().
  const SiteViews& loose_sites() const { return loose_sites_; }
  /// The molecules as persistent kernels take them.
  const WholeMolecules& whole() const { return whole_; }
  /// [n_atoms] for the projected forces of a minimiser; null if there is nothing to project.
  Vec3<double>* projected() const { return d_projected_.data(); }

  /// Finds the atoms again; to be called when they are in another order.
  void reordered(const Cuda& cuda, const DeviceStateView& atoms) const {
    if (!any()) return;
    rows_.reordered(cuda, atoms.host_index, atoms.n_atoms);
    if (sites_.weighted.n > 0) weighted_.reordered(cuda, atoms.host_index, atoms.n_atoms);
  }

  /// Returns an estimate of the device memory in bytes, including that of a minimiser, whatever the integrator is.
  static std::uint64_t bytes(const System& system) {
    if (!moves_by_clusters(system)) return 0;
    constexpr std::uint64_t kMostOfSite = 10;  // with its parents, among all sites and among those without a cluster
    const Topology& topology = *system.topology;
    const std::uint64_t n_atoms = system.particles.size(), n_sites = topology.virtual_sites.size();
    std::uint64_t of_weighted = 0, weights = 0;  // sites and their parents
    for (const WeightedSite& site : topology.weighted_sites) {
      of_weighted += 1 + site.parent.size();
      weights += sizeof(std::uint32_t) + sizeof(double) * site.parent.size();
    }
    // Whole molecules have at most four places for atoms, and at most as many rows as there are atoms.
    const std::uint64_t whole = n_atoms <= kMostAccelerated ? n_atoms : 0;
    return SortedRows::bytes(n_atoms, n_atoms + 4 * whole + kMostOfSite * n_sites, n_atoms + whole + 2 * n_sites) +
           (of_weighted > 0 ? TermAtoms::bytes(n_atoms, of_weighted) + weights : 0) + sizeof(Vec3<double>) * n_atoms;
  }

 private:
  /// Appends parameters, each kind aligned like a double, and returns the place of the first.
  template <class T>
  static std::size_t append(std::vector<unsigned char>& parameters, const std::vector<T>& values) {
    static_assert(std::is_trivially_copyable_v<T> && alignof(T) <= alignof(double));
    parameters.resize((parameters.size() + alignof(double) - 1) / alignof(double) * alignof(double));
    const std::size_t first = parameters.size();
    const auto* bytes = reinterpret_cast<const unsigned char*>(values.data());
    parameters.insert(parameters.end(), bytes, bytes + values.size() * sizeof(T));
    return first;
  }
  template <class T>
  const T* parameters_at(std::size_t place) const {
    return reinterpret_cast<const T*>(d_parameters_.data() + place);
  }

  /// Returns the atoms with mass that are in no cluster, as clusters of one.
  static std::vector<std::array<std::uint32_t, 1>> loose_atoms(const ConstraintPlan& plan,
                                                               std::span<const double> mass) {
    std::vector<bool> in_cluster(mass.size());
    const auto mark = [&](const auto& group) {
      for (const auto& atoms : group.atoms)
        for (const std::uint32_t i : atoms) in_cluster[i] = true;
    };
    std::apply([&](const auto&... group) { (mark(group), ...); }, plan.groups);
    std::vector<std::array<std::uint32_t, 1>> loose;
    for (std::uint32_t i = 0; i < mass.size(); ++i)
      if (mass[i] > 0 && !in_cluster[i]) loose.push_back({i});
    return loose;
  }

  /// Returns the members that are not marked. marked: for each member; empty: none is.
  template <class T>
  static std::vector<T> unmarked(const std::vector<T>& members, const std::vector<bool>& marked) {
    if (marked.empty()) return members;
    std::vector<T> left;
    for (std::size_t k = 0; k < members.size(); ++k)
      if (!marked[k]) left.push_back(members[k]);
    return left;
  }

  void add_clusters(const ConstraintPlan& plan, const WatersWithSites& waters, std::span<const double> mass,
                    std::vector<unsigned char>& parameters, std::vector<std::function<void()>>& when_uploaded) {
    clusters_.for_each([&]<class Solver>(ClusterView<Solver>& view) {
      SortedRows::Table table{};
      std::size_t place = 0;
      if constexpr (std::is_same_v<Solver, Unconstrained>) {
        const auto loose = loose_atoms(plan, mass);
        table = rows_.add(loose, std::vector<std::uint32_t>(loose.size()));
      } else if constexpr (kHasSite<Solver>) {
        table = rows_.add(waters.row, waters.type);
        place = append(parameters, waters.solver);
      } else {
        const auto& group = std::get<ConstraintGroup<Solver>>(plan.groups);
        const std::vector<bool> elsewhere = std::is_same_v<Solver, Settle> ? waters.has_cluster : std::vector<bool>{};
        table = rows_.add(unmarked(group.atoms, elsewhere), unmarked(group.type, elsewhere));
        place = append(parameters, group.solver);
      }
      when_uploaded.push_back([this, &view, table, place] {
        view.at = rows_.at(table);
        view.type = rows_.type(table);
        if constexpr (!std::is_same_v<Solver, Unconstrained>) view.solver = parameters_at<Solver>(place);
      });
      view.n = table.n_rows;
      view.first_block = clusters_.n_blocks;
      clusters_.n_blocks += view.blocks();
    });
  }

  void add_whole(const RigidMolecules& molecules, std::vector<std::function<void()>>& when_uploaded) {
    whole_.solver = molecules.solver;
    whole_.only_first_has_vdw = molecules.only_first_has_vdw;
    const auto add = [&]<class Solver>(ClusterView<Solver>& view) {
      std::vector<std::array<std::uint32_t, kLanesOf<Solver>>> rows(molecules.at.size());
      for (std::size_t k = 0; k < rows.size(); ++k)
        std::copy_n(molecules.at[k].begin(), kLanesOf<Solver>, rows[k].begin());
      const SortedRows::Table table = rows_.add(rows, std::vector<std::uint32_t>(rows.size()));
      when_uploaded.push_back([this, &view, table] { view.at = rows_.at(table); });
      view.n = table.n_rows;
    };
    molecules.n_places == kLanesOf<SettleAndSite> ? add(whole_.with_sites) : add(whole_.without_sites);
  }

  /// in_clusters: for each site with three parents, whether it is left out; empty: none is.
  void add_sites(const VirtualSitePlan& plan, const std::vector<bool>& in_clusters, SiteViews& sites,
                 std::vector<unsigned char>& parameters, std::vector<std::function<void()>>& when_uploaded) {
    sites.for_each_form([&]<class Form>(SiteView<Form>& view) {
      const auto& group = std::get<VirtualSiteGroup<Form>>(plan.groups);
      const std::vector<bool> left_out = std::is_same_v<Form, SiteOfThree> ? in_clusters : std::vector<bool>{};
      std::vector<std::array<std::uint32_t, 1 + Form::kParents>> rows(group.site.size());
      for (std::size_t k = 0; k < rows.size(); ++k) {
        rows[k][0] = group.site[k];
        std::copy(group.parent[k].begin(), group.parent[k].end(), rows[k].begin() + 1);
      }
      const SortedRows::Table table = rows_.add(unmarked(rows, left_out), unmarked(group.type, left_out));
      const std::size_t place = append(parameters, group.form);
      when_uploaded.push_back([this, &view, table, place] {
        view.at = rows_.at(table);
        view.type = rows_.type(table);
        view.form = parameters_at<Form>(place);
      });
      view.n = table.n_rows;
      view.first_block = sites.n_blocks;
      sites.n_blocks += MoleculeTuning::blocks(view.n);
    });
  }

  /// Waits.
  void add_weighted_sites(const Cuda& cuda, const WeightedSiteGroup& plan, std::size_t n_atoms) {
    std::vector<std::uint32_t> atoms = plan.site;
    atoms.insert(atoms.end(), plan.parent.begin(), plan.parent.end());
    const std::vector<std::uint32_t> start(plan.start.begin(), plan.start.end());
    d_start_.upload(start);
    d_weight_.upload(plan.weight);
    weighted_.upload(cuda, atoms, n_atoms);
    for (SiteViews* const sites : {&sites_, &loose_sites_}) {
      WeightedSiteView& view = sites->weighted;
      view.n = static_cast<std::uint32_t>(plan.site.size());
      view.at_site = weighted_.at();
      view.parent = weighted_.at() + view.n;
      view.start = d_start_.data();
      view.weight = d_weight_.data();
      view.first_block = sites->n_blocks;
      sites->n_blocks += MoleculeTuning::blocks(view.n);
    }
  }

  SortedRows rows_;                           ///< clusters, and sites with their parents
  TermAtoms weighted_;                        ///< sites at weighted means, then all their parents
  DeviceBuffer<unsigned char> d_parameters_;  ///< solvers and forms
  DeviceBuffer<std::uint32_t> d_start_;       ///< where the parents of weighted sites begin
  DeviceBuffer<double> d_weight_;
  DeviceBuffer<std::uint32_t> d_arrived_;   ///< [1]
  DeviceBuffer<Vec3<double>> d_projected_;  ///< [n_atoms] of a minimiser
  ClusterViews clusters_;
  WholeMolecules whole_;
  SiteViews sites_, loose_sites_;
};

}  // namespace dropmd
