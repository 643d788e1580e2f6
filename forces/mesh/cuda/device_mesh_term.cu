#include <algorithm>
#include <array>
#include <cmath>
#include <cub/block/block_reduce.cuh>
#include <memory>
#include <optional>
#include <thread>
#include <vector>

#include "forces/mesh/cuda/device_mesh.cuh"
#include "forces/mesh/cuda/outside_pairs.cuh"
#include "forces/mesh/mesh_region.h"
#include "forces/mesh/mesh_term.h"

namespace dropmd {

namespace {

template <class Real>
__global__ void all_outside_kernel(DeviceMoment<Real> now, OutsideView outside) {
  const std::uint32_t k = blockIdx.x * blockDim.x + threadIdx.x;
  if (k < now.n_atoms && now.wants_forces()) outside.set(k, now.charge[k] != 0);
}

constexpr std::uint32_t kSumThreads = 1024;

/// Sums n values in a fixed order, by one block.
__global__ void __launch_bounds__(kSumThreads) sum_kernel(const double* value, std::uint32_t n, double* sum) {
  using Reduce = cub::BlockReduce<double, kSumThreads>;
  __shared__ typename Reduce::TempStorage shared;
  double mine = 0;
  for (std::uint32_t k = threadIdx.x; k < n; k += kSumThreads) mine += value[k];
  const double all = Reduce(shared).Sum(mine);
  if (threadIdx.x == 0) *sum = all;
}

std::uint32_t blocks_for(std::uint32_t n) { return (n + OutsideTuning::kAtoms - 1) / OutsideTuning::kAtoms; }

/// The number of threads for work on the host, whose results do not depend on it.
Cpu all_threads() { return {static_cast<int>(std::max(1U, std::thread::hardware_concurrency()))}; }

/// MeshTerm in the steps on a GPU: a mesh for the charges of its region, and direct sums for those outside of it. The
/// region is chosen on the host, when steps begin and when the atoms are reordered; between these steps the charges
/// that leave it are found anew in every step.
template <class Real>
class DeviceMeshTerm final : public DeviceForceTerm<Real> {
 public:
  DeviceMeshTerm(const Cuda& cuda, double coulomb_constant, const MeshParameters& parameters, const MeshPrices& prices,
                 const FormChoice& pairs, const Particles& particles)
      : coulomb_(coulomb_constant),
        parameters_(parameters),
        split_(parameters.cutoff, parameters.bandwidth),
        rule_(parameters, prices),
        pairs_{CoulombShortRange<double>(pairs)},
        mass_(particles.mass),
        charge_(particles.charge),
        d_count_(cuda.stream),
        d_outside_(cuda.stream),
        d_ordered_(cuda.stream),
        d_is_outside_(cuda.stream),
        d_energy_(cuda.stream) {
    const std::size_t n = charge_.size();
    region_.box.spacing = saved_.box.spacing = parameters.spacing;
    d_count_.fit(1);
    d_outside_.fit(n);
    d_ordered_.fit(n);
    d_is_outside_.fit(n);
    d_energy_.fit(n);
  }

  void rebuild(const Cuda& cuda, const DeviceMoment<Real>& now) override {
    const std::vector<Vec3<double>> position = charged_positions(cuda, now);
    if (!rule_.outdated(region_, position)) return;
    region_ = rule_.choose(position);
    take_region(cuda);
  }

  void save(const Cuda&) override { saved_ = region_; }
  void restore(const Cuda& cuda, const DeviceMoment<Real>&) override {
    region_ = saved_;
    take_region(cuda);
  }
  std::vector<double> state() const override {
    const auto numbers = region_.numbers();
    return {numbers.begin(), numbers.end()};
  }
  bool set_state(std::span<const double> state) override {
    const std::optional<MeshRegion> region = MeshRegion::from_numbers(state, parameters_.spacing);
    if (region) saved_ = *region;
    return region.has_value();
  }
  std::uint32_t times_reallocated() const override { return times_reallocated_; }

  void add_forces(const Cuda& cuda, const DeviceMoment<Real>& now, const ForceSumsView<Real>& sums) const override {
    if (now.n_atoms == 0) return;
    errors_ = sums.errors;
    put_on_mesh(cuda, now);
    if (mesh_) mesh_->add_forces(cuda, now, sums);
    outside_forces_kernel<<<blocks_for(now.n_atoms), OutsideTuning::kAtoms, 0, cuda.get()>>>(now, outside(), pairs_,
                                                                                             coulomb_, sums);
    DROPMD_CUDA_LAUNCHED("summing the charges outside of a mesh");
  }

  void energies(const Cuda& cuda, const DeviceMoment<Real>& now, double* d_energy) const override {
    DeviceMoment<Real> in_any_case = now;
    in_any_case.search = nullptr;
    if (now.n_atoms > 0) put_on_mesh(cuda, in_any_case);
    if (!mesh_) return energies_without_mesh(cuda, in_any_case, d_energy);
    mesh_->energy(cuda, in_any_case, d_energy,
                  [&](double* by_host_index) { add_outside_energies(cuda, in_any_case, by_host_index); });
  }

 private:
  OutsideView outside() const { return {d_count_.data(), d_outside_.data(), d_is_outside_.data()}; }

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

  /// Makes the mesh that of the region.
  void take_region(const Cuda& cuda) {
    if (mesh_ && mesh_points_ == region_.box.points) return mesh_->move_to(cuda, region_.box.first);
    if (!mesh_ && region_.empty()) return;
    mesh_.reset();  // frees its memory first
    ++times_reallocated_;
    if (region_.empty()) return;
    MeshChargeBound bound;
    for (const double q : charge_) bound.largest = std::max(bound.largest, std::abs(q));
    const auto volume = static_cast<double>(region_.box.size()) * std::pow(region_.box.spacing, 3);
    bound.density = kDensest * static_cast<double>(charge_.size()) / volume;
    const DeviceMeshSettings settings{parameters_.order, region_.extent(), coulomb_, bound, mass_};
    mesh_.emplace(cuda, all_threads(), split_, region_.box, settings);
    mesh_points_ = region_.box.points;
  }

  void put_on_mesh(const Cuda& cuda, const DeviceMoment<Real>& now) const {
    d_count_.zero();
    if (mesh_) {
      mesh_->spread(cuda, now, errors_, outside());
      mesh_->transform(cuda);
    } else {
      all_outside_kernel<<<blocks_for(now.n_atoms), OutsideTuning::kAtoms, 0, cuda.get()>>>(now, outside());
      DROPMD_CUDA_LAUNCHED("finding charges outside of a mesh");
    }
  }

  void add_outside_energies(const Cuda& cuda, const DeviceMoment<Real>& now, double* by_host_index) const {
    if (now.n_atoms == 0) return;
    order_outside_kernel<<<blocks_for(now.n_atoms), OutsideTuning::kAtoms, 0, cuda.get()>>>(now, outside(),
                                                                                            d_ordered_.data());
    DROPMD_CUDA_LAUNCHED("ordering the charges outside of a mesh");
    OutsideView ordered = outside();
    ordered.atom = d_ordered_.data();
    outside_energies_kernel<<<blocks_for(now.n_atoms), OutsideTuning::kAtoms, 0, cuda.get()>>>(now, ordered, pairs_,
                                                                                               coulomb_, by_host_index);
    DROPMD_CUDA_LAUNCHED("summing the energies of the charges outside of a mesh");
  }

  /// All pairs are summed directly.
  void energies_without_mesh(const Cuda& cuda, const DeviceMoment<Real>& now, double* d_energy) const {
    d_energy_.zero();
    add_outside_energies(cuda, now, d_energy_.data());
    sum_kernel<<<1, kSumThreads, 0, cuda.get()>>>(d_energy_.data(), now.n_atoms, d_energy);
    DROPMD_CUDA_LAUNCHED("summing the energies of charges without a mesh");
  }

  /// The densest part of a droplet may have this many times the mean density of the mesh's box.
  static constexpr double kDensest = 4;

  double coulomb_;
  MeshParameters parameters_;
  CoulombSplit split_;
  RegionRule rule_;
  OutsideForm pairs_;
  std::vector<double> mass_, charge_;  ///< [n_atoms] in the order of the host's arrays
  MeshRegion region_, saved_;
  std::array<int, 3> mesh_points_{};
  std::optional<DeviceMesh<Real>> mesh_;  ///< nullopt: the region is empty
  std::uint32_t times_reallocated_ = 0;
  mutable ErrorRecordView errors_;
  DeviceBuffer<std::uint32_t> d_count_, d_outside_, d_ordered_;
  DeviceBuffer<std::uint8_t> d_is_outside_;
  DeviceBuffer<double> d_energy_;  ///< [n_atoms] by host index, without a mesh
};

}  // namespace

std::unique_ptr<DeviceForceTerm<float>> MeshTerm::on_gpu_in_mixed(const Cuda& cuda, const Particles& particles) const {
  return std::make_unique<DeviceMeshTerm<float>>(cuda, coulomb_constant_, parameters_, prices_, pairs_.value(),
                                                 particles);
}
std::unique_ptr<DeviceForceTerm<double>> MeshTerm::on_gpu_in_double(const Cuda& cuda,
                                                                    const Particles& particles) const {
  return std::make_unique<DeviceMeshTerm<double>>(cuda, coulomb_constant_, parameters_, prices_, pairs_.value(),
                                                  particles);
}

std::uint64_t MeshTerm::device_bytes(std::size_t n_atoms) const {
  // Outside lists and energies; forces, energies and shares of the mass in DeviceMesh.
  constexpr std::uint64_t kPerAtom = 3 * sizeof(std::uint32_t) + sizeof(double) + 5 * sizeof(double);
  const MeshTransformBytes transforms =
      precision_ == Precision::mixed ? MeshTransforms<float>::bytes(points_) : MeshTransforms<double>::bytes(points_);
  return kPerAtom * n_atoms + transforms.total() + transforms.spectra;  // cuFFT's workspace
}

}  // namespace dropmd
