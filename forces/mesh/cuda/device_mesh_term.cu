#include <algorithm>
#include <array>
#include <cmath>
#include <cub/block/block_reduce.cuh>
#include <memory>
#include <optional>
#include <thread>
#include <utility>
#include <vector>

#include "device/branch.cuh"
#include "device/error_record.cuh"
#include "forces/mesh/cuda/device_mesh.cuh"
#include "forces/mesh/cuda/device_region_use.cuh"
#include "forces/mesh/cuda/excluded/device_excluded.cuh"
#include "forces/mesh/cuda/outside_sum.cuh"
#include "forces/mesh/mesh_region.h"
#include "forces/mesh/mesh_term.h"

namespace dropmd {

namespace {

__global__ void add_energy_kernel(const double* more, double* energy) { *energy += *more; }

/// The number of threads for work on the host, whose results do not depend on it.
Cpu all_threads() { return {static_cast<int>(std::max(1U, std::thread::hardware_concurrency()))}; }

/// MeshTerm in the steps on a GPU: one mesh or two for the charges of the region, and direct sums for those outside,
/// divided as in HostMesh. The region is chosen on the host, when steps begin and when the atoms are reordered; between
/// these steps the charges that leave it are found anew in every step.
template <class Real>
class DeviceMeshTerm final : public DeviceForceTerm<Real> {
  using By = typename DeviceMesh<Real>::By;

 public:
  DeviceMeshTerm(const Cuda& cuda, double coulomb_constant, const MeshParameters& parameters, const MeshPrices& prices,
                 const FormChoice& pairs, const Particles& particles, const ExcludedPairs& excluded,
                 std::shared_ptr<InfluenceFunctions> known)
      : coulomb_(coulomb_constant),
        parameters_(parameters),
        split_(parameters.cutoff, parameters.bandwidth),
        rule_(parameters, prices),
        known_(std::move(known)),
        mass_(particles.mass),
        charge_(particles.charge),
        outside_branch_(cuda, StreamPriority::middle),
        coarse_branch_(cuda),
        region_use_(cuda, static_cast<std::uint32_t>(particles.size())),
        outside_(cuda.stream, coulomb_constant, pairs, particles),
        excluded_(cuda, excluded, particles, outside_.form(), coulomb_constant),
        d_coarse_energy_(cuda.stream),
        unread_(cuda.stream) {
    region_.box.spacing = saved_.box.spacing = parameters.spacing;
    d_coarse_energy_.fit(1);
    for (const double q : charge_)
      if (q != 0) charges_.push_back(q);
  }

  void reordered(const Cuda& cuda, const DeviceMoment<Real>& now) override { excluded_.reordered(cuda, now); }

  void rebuild(const Cuda& cuda, const DeviceMoment<Real>& now) override {
    const bool is_given = std::exchange(given_, false);
    if (is_given) region_ = saved_;
    const bool stays = !region_.empty() && !rule_.outdated(region_, region_use(cuda, now));
    if (!stays) region_ = rule_.choose(charged_positions(cuda, now), charges_);
    if (peer_) take_region_of_first_peer();
    if (!stays || is_given || peer_) take_region(cuda);
  }

  void save(const Cuda&) override { saved_ = region_; }
  void restore(const Cuda& cuda, const DeviceMoment<Real>& now) override {
    reordered(cuda, now);
    given_ = false;
    region_ = saved_;
    take_region(cuda);
  }
  std::vector<double> state() const override { return region_.numbers(); }
  bool set_state(std::span<const double> state) override {
    const std::optional<MeshRegion> region = MeshRegion::from_numbers(state, parameters_.spacing, parameters_.order);
    if (region) saved_ = *region;
    given_ = region.has_value();
    return given_;
  }
  std::uint32_t times_reallocated() const override { return times_reallocated_; }

  void divide(const Peer& peer, bool rest) override {
    peer_.emplace(peer);
    peer.group.note_divided_mesh();
    has_rest_ = rest;
  }
  bool is_divided() const override { return peer_.has_value(); }
  void mark_tiles(const Cuda& cuda, const DeviceMoment<Real>& now, std::uint8_t* d_marked) const override {
    if (!peer_ || has_rest_) return DeviceForceTerm<Real>::mark_tiles(cuda, now, d_marked);
    const auto [first, end] = DeviceMesh<Real>::atoms_of(peer_->share(), now.n_atoms);
    if (first >= end) return;
    DROPMD_CUDA(
        cudaMemsetAsync(d_marked + first / kTileAtoms, 1, (end - 1) / kTileAtoms + 1 - first / kTileAtoms, cuda.get()),
        "marking atoms of a mesh");
  }

  void add_forces(const Cuda& cuda, const DeviceMoment<Real>& now, const ForceSumsView<Real>& sums) const override {
    add_forces(cuda, now, sums, By::one, /*with_rest=*/true);
  }
  void add_own_forces(const Cuda& cuda, const DeviceMoment<Real>& now, const ForceSumsView<Real>& sums) const override {
    add_forces(cuda, now, sums, By::all, has_rest_);
  }

  void energies(const Cuda& cuda, const DeviceMoment<Real>& now, double* d_energy) const override {
    DeviceMoment<Real> in_any_case = now;
    in_any_case.search = nullptr;
    if (now.n_atoms > 0) {
      spread(cuda, in_any_case);
      if (coarse_) spread_on_coarse(cuda, in_any_case);
    }
    if (mesh_) mesh_->transform(cuda, errors_);
    if (coarse_) coarse_->transform(cuda, errors_);
    if (mesh_)
      mesh_->energy(cuda, in_any_case, d_energy,
                    [&](double* by_host_index) { outside_.add_energies(cuda, in_any_case, by_host_index); });
    else
      outside_.energy_without_mesh(cuda, in_any_case, d_energy);
    if (coarse_) {
      coarse_->energy(cuda, in_any_case, d_coarse_energy_.data());
      add_energy_kernel<<<1, 1, 0, cuda.get()>>>(d_coarse_energy_.data(), d_energy);
      DROPMD_CUDA_LAUNCHED("adding the energies of two meshes");
    }
    excluded_.add_energy(cuda, in_any_case, d_energy);
  }

 private:
  RegionUse region_use(const Cuda& cuda, const DeviceMoment<Real>& now) const {
    return region_use_(cuda, now.position, now.charge, region_, parameters_.order);
  }

  /// Returns the positions of the charges in the order of the host's arrays, on which the choice of a region depends.
  std::vector<Vec3<double>> charged_positions(const Cuda& cuda, const DeviceMoment<Real>& now) const {
    std::vector<Vec3<double>> stored(now.n_atoms), position(now.n_atoms);
    std::vector<std::uint32_t> host_index(now.n_atoms);
    if (now.n_atoms == 0) return position;
    DROPMD_CUDA(cudaMemcpyAsync(stored.data(), now.position, stored.size() * sizeof(Vec3<double>),
                                cudaMemcpyDeviceToHost, cuda.get()),
                "reading positions for a mesh");
    DROPMD_CUDA(cudaMemcpyAsync(host_index.data(), now.host_index, host_index.size() * sizeof(std::uint32_t),
                                cudaMemcpyDeviceToHost, cuda.get()),
                "reading positions for a mesh");
    cuda.stream.synchronize("reading positions for a mesh");
    for (std::uint32_t k = 0; k < now.n_atoms; ++k) position[host_index[k]] = stored[k];
    std::size_t n = 0;
    for (std::size_t i = 0; i < position.size(); ++i)
      if (charge_[i] != 0) position[n++] = position[i];
    position.resize(n);
    return position;
  }

  /// Makes the region the same on all peers. Their atoms differ after a fault, which is known only later.
  void take_region_of_first_peer() {
    const auto all_wait = [&] { return peer_->group.gather(peer_->rank, &region_); };
    const MeshRegion first = *static_cast<const MeshRegion*>(all_wait().front());
    all_wait();  // until the last one has read it
    region_ = first;
  }

  /// Makes the meshes fit the region.
  void take_region(const Cuda& cuda) {
    const CoarseRegion &coarse = region_.coarse, &last = fitted_.coarse;
    const bool same_boxes = fitted_.box.points == region_.box.points && last.box.points == coarse.box.points &&
                            last.ratio == coarse.ratio && last.charge == coarse.charge;
    fitted_ = region_;
    if (same_boxes) {
      if (mesh_) mesh_->move_to(cuda, region_.box.first);
      if (coarse_) coarse_->move_to(cuda, coarse.box.first);
      return;
    }
    mesh_.reset();  // frees its memory first
    coarse_.reset();
    ++times_reallocated_;
    outside_.set_coarse(coarse.ratio, coarse.ratio * parameters_.cutoff);
    if (!region_.empty()) make_meshes(cuda);
  }

  void make_meshes(const Cuda& cuda) {
    const CoarseRegion& coarse = region_.coarse;
    MeshChargeBound bound;
    for (const double q : charge_) bound.largest = std::max(bound.largest, std::abs(q));
    const auto volume = static_cast<double>(region_.box.size()) * std::pow(region_.box.spacing, 3);
    bound.density = kDensest * static_cast<double>(charge_.size()) / volume;
    const DeviceMeshSettings settings{parameters_.order, region_.box.diagonal(),   coulomb_, bound, mass_,
                                      known_.get(),      peer_ ? &*peer_ : nullptr};
    if (!coarse.exists()) {
      mesh_.emplace(cuda, all_threads(), split_, region_.box, settings);
      return;
    }
    const CoulombSplit wide(coarse.ratio * parameters_.cutoff, parameters_.bandwidth);
    mesh_.emplace(cuda, all_threads(), MeshKernel(split_, &wide), region_.box, settings);
    const DeviceMeshSettings of_coarse{
        parameters_.order, coarse.box.diagonal(), coulomb_, {coarse.charge, 0}, mass_, known_.get(), nullptr};
    coarse_.emplace(cuda, all_threads(), wide, coarse.box, of_coarse);
  }

  /// by: who adds the forces of the mesh. with_rest: whether this GPU adds the others.
  void add_forces(const Cuda& cuda, const DeviceMoment<Real>& now, const ForceSumsView<Real>& sums, By by,
                  bool with_rest) const {
    if (now.n_atoms == 0) return;
    errors_ = sums.errors;
    spread(cuda, now, by);
    if (with_rest) fork_to_rest(cuda, now, sums);
    if (mesh_) {
      if (by == By::all) mesh_->sum_charges(cuda, now, errors_);
      mesh_->transform(cuda, errors_);
      mesh_->add_forces(cuda, now, sums, by);
    }
    if (!with_rest) return;
    outside_.add_forces(outside_branch_.cuda(), now, sums);
    excluded_.add_forces(outside_branch_.cuda(), now, sums);
    if (coarse_) coarse_branch_.join(cuda);
    outside_branch_.join(cuda);
  }

  /// Forks the branches for what the mesh does not compute, once the charges outside are known, and adds the forces of
  /// the coarse mesh.
  void fork_to_rest(const Cuda& cuda, const DeviceMoment<Real>& now, const ForceSumsView<Real>& sums) const {
    if (coarse_) {
      const Cuda branch = coarse_branch_.cuda();
      coarse_branch_.fork(cuda);
      spread_on_coarse(branch, now);
      outside_branch_.fork(branch);
      coarse_->transform(branch, errors_);
      coarse_->add_forces(branch, now, sums);
    } else {
      outside_branch_.fork(cuda);
    }
  }

  /// Puts the charges on the mesh and lists those outside.
  void spread(const Cuda& cuda, const DeviceMoment<Real>& now, By by = By::one) const {
    if (mesh_)
      mesh_->spread(cuda, now, errors_, outside_.view(), by);
    else
      outside_.list_all(cuda, now);
  }

  /// Puts the charges on the coarse mesh and marks those outside of it in the list.
  void spread_on_coarse(const Cuda& cuda, const DeviceMoment<Real>& now) const {
    coarse_->spread(cuda, now, errors_, outside_.view(/*on_coarse=*/true));
  }

  /// The densest part of a droplet may have this many times the mean density of the mesh's box.
  static constexpr double kDensest = 4;

  double coulomb_;
  MeshParameters parameters_;
  CoulombSplit split_;
  RegionRule rule_;
  std::shared_ptr<InfluenceFunctions> known_;
  std::vector<double> mass_, charge_;  ///< [n_atoms] in the order of the host's arrays
  std::vector<double> charges_;        ///< [n_charges] those that are not 0
  /// The charges outside, and a coarse mesh, have branches of their own: their kernels also leave most of a GPU idle.
  mutable Branch outside_branch_, coarse_branch_;
  DeviceRegionUse region_use_;
  MeshRegion region_, saved_;
  bool given_ = false;                             ///< saved_ is that of set_state(), not yet used
  MeshRegion fitted_;                              ///< the region that the meshes fit
  std::optional<DeviceMesh<Real>> mesh_, coarse_;  ///< nullopt: the region has none
  std::uint32_t times_reallocated_ = 0;
  std::optional<Peer> peer_;  ///< of GPUs that divide the mesh, but not the coarse one; nullopt: this one has all
  bool has_rest_ = true;      ///< and whether this one adds what is not divided
  OutsideSum<Real> outside_;
  DeviceExcluded<Real> excluded_;
  DeviceBuffer<double> d_coarse_energy_;  ///< [1]
  /// Where energies report what the forces have reported already, by the GPU that computes them.
  ErrorRecord unread_;
  mutable ErrorRecordView errors_ = unread_.view();
};

}  // namespace

std::unique_ptr<DeviceForceTerm<float>> MeshTerm::on_gpu_in_mixed(const Cuda& cuda, const Particles& particles) const {
  return std::make_unique<DeviceMeshTerm<float>>(cuda, coulomb_constant_, parameters_, prices_, pairs_.value(),
                                                 particles, excluded(particles), known_);
}
std::unique_ptr<DeviceForceTerm<double>> MeshTerm::on_gpu_in_double(const Cuda& cuda,
                                                                    const Particles& particles) const {
  return std::make_unique<DeviceMeshTerm<double>>(cuda, coulomb_constant_, parameters_, prices_, pairs_.value(),
                                                  particles, excluded(particles), known_);
}

std::uint64_t MeshTerm::device_bytes(std::size_t n_atoms) const {
  constexpr std::uint64_t kOfMesh = 5 * sizeof(double);  // forces, energies and shares of the mass in DeviceMesh
  constexpr std::uint64_t kPerAtom = OutsideSum<double>::kBytesPerAtom + kOfMesh;
  const auto bytes_of = [&](const std::array<int, 3>& points) -> std::uint64_t {
    if (points[0] == 0) return 0;  // there is no such mesh
    return expected_.precision == Precision::mixed ? MeshTransforms<float>::bytes(points).total()
                                                   : MeshTransforms<double>::bytes(points).total();
  };
  const std::uint64_t of_coarse = expected_.coarse_points[0] > 0 ? kOfMesh * n_atoms : 0;
  const std::size_t n_excluded = topology_ ? topology_->exclusions.excluded.size() / 2 : 0;
  return DeviceRegionUse::kFixedBytes + kPerAtom * n_atoms + bytes_of(expected_.points) + of_coarse +
         bytes_of(expected_.coarse_points) + DeviceExcluded<float>::bytes(n_atoms, n_excluded);
}

}  // namespace dropmd
