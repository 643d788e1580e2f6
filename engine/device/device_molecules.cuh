#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <tuple>
#include <type_traits>
#include <vector>

#include "device/buffer.cuh"
#include "engine/device/device_state.cuh"
#include "engine/device/site_kernels.cuh"
#include "engine/molecules/motion_plans.h"

namespace dropmd {

/// Sets where each atom is in memory; one thread per atom.
static __global__ void storage_indices_kernel(DeviceStateView atoms, std::uint32_t* index_of) {
  const std::uint32_t k = blockIdx.x * blockDim.x + threadIdx.x;
  if (k < atoms.n_atoms) index_of[atoms.host_index[k]] = k;
}

/// Translates n host indices into storage indices.
static __global__ void translate_indices_kernel(const std::uint32_t* atom, const std::uint32_t* index_of,
                                                std::uint32_t n, std::uint32_t* at) {
  const std::uint32_t k = blockIdx.x * blockDim.x + threadIdx.x;
  if (k < n) at[k] = index_of[atom[k]];
}

/// The constraints and virtual sites of a run on the device. A run with none of either has no memory here, and its
/// steps are performed by tiles of atoms.
class DeviceMolecules {
 public:
  DeviceMolecules(const Stream& stream, const System& system) : memory_(stream) {
    const ConstraintPlan constraints = constraints_of(system);
    const VirtualSitePlan sites = virtual_sites_of(system);
    if (constraints.n_constraints == 0 && sites.n_sites() == 0) return;
    const auto n_atoms = static_cast<std::uint32_t>(system.particles.size());
    memory_.index_of.resize(n_atoms);
    std::vector<bool> is_loose(n_atoms);
    for (std::size_t i = 0; i < n_atoms; ++i) is_loose[i] = system.particles.mass[i] > 0;
    add_clusters(constraints, is_loose);
    add_sites(sites);
    upload(stream);
  }

  /// Whether steps have to be performed for clusters.
  bool any() const { return clusters_.n_blocks > 0; }
  bool has_sites() const { return sites_.n_blocks > 0; }
  const ClusterViews& clusters() const { return clusters_; }
  /// [1] counts blocks, for advance_clocks().
  std::uint32_t* arrived() const { return memory_.arrived.data(); }
  const SiteViews& sites() const { return sites_; }

  /// Finds the atoms again; to be called when they are in another order.
  void reordered(const Cuda& cuda, const DeviceStateView& atoms) const {
    if (!any()) return;
    constexpr std::uint32_t kThreads = 256;
    storage_indices_kernel<<<(atoms.n_atoms + kThreads - 1) / kThreads, kThreads, 0, cuda.get()>>>(
        atoms, memory_.index_of.data());
    DROPMD_CUDA_LAUNCHED("finding the atoms of molecules");
    const auto n = static_cast<std::uint32_t>(memory_.atom.size());
    translate_indices_kernel<<<(n + kThreads - 1) / kThreads, kThreads, 0, cuda.get()>>>(
        memory_.atom.data(), memory_.index_of.data(), n, memory_.at.data());
    DROPMD_CUDA_LAUNCHED("finding the atoms of molecules");
  }

  /// An estimate of the device memory, bytes: indices of all atoms, of those in clusters and of sites with parents.
  static std::uint64_t bytes(const System& system) {
    if (!moves_by_clusters(system)) return 0;
    constexpr std::uint64_t kPerAtom = 4 * sizeof(std::uint32_t), kPerSite = 12 * sizeof(std::uint32_t);
    return kPerAtom * system.particles.size() +
           kPerSite * (system.topology->virtual_sites.size() + system.topology->weighted_sites.size());
  }

 private:
  /// Host copies until upload(), with the place of each array in them.
  struct Staged {
    std::vector<std::uint32_t> atom, number;
    std::vector<unsigned char> parameters;
    std::vector<double> weight;
  };
  struct Memory {
    explicit Memory(const Stream& stream)
        : index_of(stream),
          atom(stream),
          at(stream),
          number(stream),
          parameters(stream),
          weight(stream),
          arrived(stream) {}
    DeviceBuffer<std::uint32_t> index_of;    ///< [n_atoms] storage index by host index
    DeviceBuffer<std::uint32_t> atom, at;    ///< host and storage indices of all clusters and sites
    DeviceBuffer<std::uint32_t> number;      ///< types of all clusters and sites, and starts of weighted sites
    DeviceBuffer<unsigned char> parameters;  ///< solvers and forms, each kind aligned like a double
    DeviceBuffer<double> weight;
    DeviceBuffer<std::uint32_t> arrived;  ///< [1]
  };

  /// Appends values and returns the place of the first; pointers are made from places when all arrays are complete.
  template <class T>
  static std::size_t append(std::vector<T>& to, const std::vector<T>& values) {
    const std::size_t first = to.size();
    to.insert(to.end(), values.begin(), values.end());
    return first;
  }
  template <class T>
  std::size_t append_parameters(const std::vector<T>& values) {
    static_assert(std::is_trivially_copyable_v<T> && alignof(T) <= alignof(double));
    staged_.parameters.resize((staged_.parameters.size() + alignof(double) - 1) / alignof(double) * alignof(double));
    const std::size_t first = staged_.parameters.size();
    const auto* bytes = reinterpret_cast<const unsigned char*>(values.data());
    staged_.parameters.insert(staged_.parameters.end(), bytes, bytes + values.size() * sizeof(T));
    return first;
  }
  /// Appends the atoms of one cluster after another.
  template <std::size_t k>
  std::size_t append_clusters(const std::vector<std::array<std::uint32_t, k>>& atoms) {
    const std::size_t first = staged_.atom.size();
    for (const auto& of_one : atoms) staged_.atom.insert(staged_.atom.end(), of_one.begin(), of_one.end());
    return first;
  }
  /// Appends the parents of sites by their place, so that a warp's accesses coalesce: [kParents][n].
  template <std::size_t k>
  std::size_t append_parents(const std::vector<std::array<std::uint32_t, k>>& atoms) {
    const std::size_t first = staged_.atom.size();
    for (std::size_t a = 0; a < k; ++a)
      for (const auto& of_one : atoms) staged_.atom.push_back(of_one[a]);
    return first;
  }

  /// Enqueues an assignment of pointers until the buffers have their addresses.
  template <class Assign>
  void later(const Assign& assign) {
    pending_.push_back(assign);
  }

  void add_clusters(const ConstraintPlan& plan, std::vector<bool>& is_loose) {
    const auto mark = [&](const auto& group) {
      for (const auto& atoms : group.atoms)
        for (const std::uint32_t i : atoms) is_loose[i] = false;
    };
    std::apply([&](const auto&... group) { (mark(group), ...); }, plan.groups);
    clusters_.for_each([&]<class Solver>(ClusterView<Solver>& view) {
      std::size_t at = 0;
      if constexpr (std::is_same_v<Solver, Unconstrained>) {
        std::vector<std::array<std::uint32_t, 1>> loose;
        for (std::uint32_t i = 0; i < is_loose.size(); ++i)
          if (is_loose[i]) loose.push_back({i});
        view.n = static_cast<std::uint32_t>(loose.size());
        at = append_clusters(loose);
      } else {
        const auto& group = std::get<ConstraintGroup<Solver>>(plan.groups);
        view.n = static_cast<std::uint32_t>(group.atoms.size());
        at = append_clusters(group.atoms);
        const std::size_t type = append(staged_.number, group.type), solver = append_parameters(group.solver);
        later([&view, type, solver](const Memory& memory) {
          view.type = memory.number.data() + type;
          view.solver = reinterpret_cast<const Solver*>(memory.parameters.data() + solver);
        });
      }
      later([&view, at](const Memory& memory) { view.at = memory.at.data() + at; });
      view.first_block = clusters_.n_blocks;
      clusters_.n_blocks += view.blocks();
    });
  }

  void add_sites(const VirtualSitePlan& plan) {
    sites_.for_each_form([&]<class Form>(SiteView<Form>& view) {
      const auto& group = std::get<VirtualSiteGroup<Form>>(plan.groups);
      view.n = static_cast<std::uint32_t>(group.site.size());
      const std::size_t site = append(staged_.atom, group.site), parent = append_parents(group.parent);
      const std::size_t type = append(staged_.number, group.type), form = append_parameters(group.form);
      later([&view, site, parent, type, form](const Memory& memory) {
        view.site = memory.at.data() + site;
        view.parent = memory.at.data() + parent;
        view.type = memory.number.data() + type;
        view.form = reinterpret_cast<const Form*>(memory.parameters.data() + form);
      });
      view.first_block = sites_.n_blocks;
      sites_.n_blocks += MoleculeTuning::blocks(view.n);
    });
    WeightedSiteView& view = sites_.weighted;
    view.n = static_cast<std::uint32_t>(plan.weighted.site.size());
    const std::size_t site = append(staged_.atom, plan.weighted.site);
    const std::size_t parent = append(staged_.atom, plan.weighted.parent);
    const std::size_t start =
        append(staged_.number, std::vector<std::uint32_t>(plan.weighted.start.begin(), plan.weighted.start.end()));
    staged_.weight = plan.weighted.weight;
    later([&view, site, parent, start](const Memory& memory) {
      view.site = memory.at.data() + site;
      view.parent = memory.at.data() + parent;
      view.start = memory.number.data() + start;
      view.weight = memory.weight.data();
    });
    view.first_block = sites_.n_blocks;
    sites_.n_blocks += MoleculeTuning::blocks(view.n);
  }

  void upload(const Stream& stream) {
    memory_.atom.upload(staged_.atom);
    memory_.at.resize(staged_.atom.size());
    memory_.number.upload(staged_.number);
    memory_.parameters.upload(staged_.parameters);
    memory_.weight.upload(staged_.weight);
    memory_.arrived.resize(1);
    memory_.arrived.zero();
    stream.synchronize("copying constraints and virtual sites to the device");
    for (const auto& assign : pending_) assign(memory_);
    pending_.clear();
    staged_ = {};
  }

  Memory memory_;
  Staged staged_;
  std::vector<std::function<void(const Memory&)>> pending_;
  ClusterViews clusters_;
  SiteViews sites_;
};

}  // namespace dropmd
