#include "forces/mesh/cuda/device_mesh.cuh"

#include <algorithm>
#include <cmath>
#include <cub/device/device_reduce.cuh>
#include <numeric>
#include <vector>

#include "forces/forces_added.cuh"
#include "forces/mesh/b_spline.h"
#include "forces/mesh/cuda/spread.cuh"

namespace dropmd {

namespace {

__global__ void set_first_kernel(long long* first, long long x, long long y, long long z) {
  first[0] = x;
  first[1] = y;
  first[2] = z;
}

/// Returns the masses over their sum; all zero if that is zero.
std::vector<double> shares(std::span<const double> mass) {
  const double total = std::accumulate(mass.begin(), mass.end(), 0.0);
  std::vector<double> share;
  share.reserve(mass.size());
  for (const double m : mass) share.push_back(total > 0 ? m / total : 0);
  return share;
}

}  // namespace

template <class Real>
std::pair<std::uint32_t, std::uint32_t> DeviceMesh<Real>::atoms_of(const WorkShare& share, std::uint32_t n_atoms) {
  const std::uint32_t spread = SpreadTuning::blocks_for(n_atoms), gather = GatherTuning::blocks_for(n_atoms);
  const std::uint32_t per_spread = SpreadTuning::per_block(n_atoms), per_gather = GatherTuning::kThreads;
  return {std::min(share.first(spread) * per_spread, share.first(gather) * per_gather),
          std::min(n_atoms, std::max(share.end(spread) * per_spread, share.end(gather) * per_gather))};
}

template <class Real>
DeviceMesh<Real>::DeviceMesh(const Cuda& cuda, Cpu cpu, const MeshKernel& kernel, const MeshBox& box,
                             const DeviceMeshSettings& settings)
    : box_(box),
      order_(settings.order),
      charge_bits_(mesh_charge_bits<Real>(settings.charge.at_point(box.spacing))),
      coulomb_(settings.coulomb_constant),
      self_(kernel.at_zero()),
      transforms_(cuda, box.points, *make_influence(settings.known, cpu, kernel, box, settings.order, settings.extent)),
      d_first_(cuda.stream),
      d_share_(cuda.stream),
      d_force_(cuda.stream),
      d_net_(cuda.stream),
      d_wanted_(cuda.stream),
      d_energy_(cuda.stream),
      d_scratch_(cuda.stream) {
  const std::size_t n = settings.mass.size();
  d_first_.fit(3);
  move_to(cuda, box.first);
  const std::vector<double> share = shares(settings.mass);
  d_share_.upload(share);
  d_force_.fit(3 * n);
  d_net_.fit(3 * NetForce::kCounters);
  d_wanted_.fit(1);
  d_energy_.fit(n);
  std::size_t bytes = 0;
  DROPMD_CUDA(cub::DeviceReduce::Sum(nullptr, bytes, static_cast<const double*>(nullptr), static_cast<double*>(nullptr),
                                     static_cast<int>(n), cuda.get()),
              "planning the sum of a mesh's energies");
  d_scratch_.fit(bytes > 0 ? bytes : 1);
  if (settings.peer != nullptr)
    peers_.emplace(settings.peer->share(), PeerMeshSum<Real>(cuda, *settings.peer, view()),
                   PeerSum(cuda, *settings.peer, d_net_.data(), d_net_.size()));
  cuda.stream.synchronize("preparing a mesh");
}

template <class Real>
MeshView<Real> DeviceMesh<Real>::view() const {
  return {transforms_.values(), box_.spacing, d_first_.data(), static_cast<Real>(std::ldexp(1.0, charge_bits_))};
}

template <class Real>
void DeviceMesh<Real>::move_to(const Cuda& cuda, const std::array<long long, 3>& first) const {
  set_first_kernel<<<1, 1, 0, cuda.get()>>>(d_first_.data(), first[0], first[1], first[2]);
  DROPMD_CUDA_LAUNCHED("moving a mesh");
}

template <class Real>
void DeviceMesh<Real>::spread(const Cuda& cuda, const DeviceMoment<Real>& now, const ErrorRecordView& errors,
                              const OutsideView& outside, By by) const {
  const MeshView<Real> mesh = view();
  const MeshValues<Real>& values = mesh.values;
  const dim3 threads(32, 8);
  const auto rows = static_cast<std::uint32_t>(values.points[0]) * static_cast<std::uint32_t>(values.rows_read);
  clear_kernel<<<(rows + threads.y - 1) / threads.y, threads, 0, cuda.get()>>>(
      now, values, d_wanted_.data(), outside.on_coarse ? nullptr : outside.count, d_net_.data());
  DROPMD_CUDA_LAUNCHED("clearing a mesh");
  if (now.n_atoms == 0) return;
  with_spline_order(order_, [&]<int P>() {
    spread_kernel<P><<<SpreadTuning::blocks_for(now.n_atoms), SpreadTuning::kThreads, 0, cuda.get()>>>(
        now, mesh, outside, errors, SpreadTuning::rounds_for(now.n_atoms), share_of(by));
  });
  DROPMD_CUDA_LAUNCHED("spreading charges on a mesh");
}

template <class Real>
void DeviceMesh<Real>::sum_charges(const Cuda& cuda, const DeviceMoment<Real>& now,
                                   const ErrorRecordView& errors) const {
  peers_->charges(cuda, ForcesAdded<Real>{now, errors});
}

template <class Real>
void DeviceMesh<Real>::transform(const Cuda& cuda, const ErrorRecordView& errors) const {
  transforms_.convolve(cuda, {1 / view().scale, d_wanted_.data(), errors});
}

template <class Real>
void DeviceMesh<Real>::gather(const Cuda& cuda, const DeviceMoment<Real>& now, const Gathered<Real>& to,
                              const ForceSumsView<Real>& sums, const WorkShare& share) const {
  const MeshFactors factors{coulomb_, self_};
  with_spline_order(order_, [&]<int P>() {
    gather_kernel<P><<<GatherTuning::blocks_for(now.n_atoms), GatherTuning::kThreads, 0, cuda.get()>>>(
        now, view(), factors, to, sums, share);
  });
  DROPMD_CUDA_LAUNCHED("interpolating the potential of a mesh");
}

template <class Real>
void DeviceMesh<Real>::add_forces(const Cuda& cuda, const DeviceMoment<Real>& now, const ForceSumsView<Real>& sums,
                                  By by) const {
  if (now.n_atoms == 0) return;
  Gathered<Real> to;
  to.force = d_force_.data();
  to.net = d_net_.data();
  const WorkShare share = share_of(by);
  gather(cuda, now, to, sums, share);
  if (by == By::all) peers_->net(cuda, ForcesAdded<Real>{now, sums.errors}, /*divides=*/false);
  add_forces_kernel<<<GatherTuning::blocks_for(now.n_atoms), GatherTuning::kThreads, 0, cuda.get()>>>(
      now, to, static_cast<const double*>(d_share_.data()), sums, share);
  DROPMD_CUDA_LAUNCHED("adding the forces of a mesh");
}

template <class Real>
void DeviceMesh<Real>::gather_energies(const Cuda& cuda, const DeviceMoment<Real>& now) const {
  if (now.n_atoms == 0) return;
  Gathered<Real> to;
  to.energy = d_energy_.data();
  DeviceMoment<Real> in_any_case = now;
  in_any_case.search = nullptr;
  gather(cuda, in_any_case, to, {});
}

template <class Real>
void DeviceMesh<Real>::sum_energies(const Cuda& cuda, const DeviceMoment<Real>& now, double* d_energy) const {
  if (now.n_atoms == 0) {
    DROPMD_CUDA(cudaMemsetAsync(d_energy, 0, sizeof(double), cuda.get()), "computing the energy of a mesh");
    return;
  }
  // The order of CUB's additions is fixed for a device model and a number of atoms.
  std::size_t bytes = d_scratch_.size();
  DROPMD_CUDA(cub::DeviceReduce::Sum(d_scratch_.data(), bytes, static_cast<const double*>(d_energy_.data()), d_energy,
                                     static_cast<int>(now.n_atoms), cuda.get()),
              "computing the energy of a mesh");
}

template <class Real>
void DeviceMesh<Real>::interpolate(const Cuda& cuda, const DeviceMoment<Real>& now, Real* d_potential,
                                   Vec3<Real>* d_gradient) const {
  if (now.n_atoms == 0) return;
  Gathered<Real> to;
  to.potential = d_potential;
  to.gradient = d_gradient;
  DeviceMoment<Real> in_any_case = now;
  in_any_case.search = nullptr;
  gather(cuda, in_any_case, to, {});
}

template <class Real>
DeviceMeshBytes DeviceMesh<Real>::bytes() const {
  DeviceMeshBytes all{transforms_.bytes()};
  all.atoms = sizeof(long long) * (d_first_.size() + d_force_.size() + d_net_.size()) +
              sizeof(std::uint32_t) * d_wanted_.size() + sizeof(double) * (d_share_.size() + d_energy_.size()) +
              d_scratch_.size();
  return all;
}

template class DeviceMesh<float>;
template class DeviceMesh<double>;

}  // namespace dropmd
