#include "forces/mesh/cuda/excluded/device_excluded.cuh"

#include <cub/block/block_reduce.cuh>
#include <vector>

namespace dropmd {

namespace {

constexpr std::uint32_t kThreads = 128;

std::uint32_t blocks(std::size_t n_pairs) { return static_cast<std::uint32_t>((n_pairs + kThreads - 1) / kThreads); }

/// The pairs as kernels take them.
struct ExcludedView {
  const std::uint32_t* at;  ///< [2][n] storage indices
  std::uint32_t n;
  CoulombShortRange<double> form;
  double coulomb;  ///< k_e, energy length/charge²
};

/// A pair of charges.
struct ExcludedPair {
  std::uint32_t i, j;
  Vec3<double> distance;  ///< r_i − r_j
  double factor;          ///< −k_e q_i q_j
  SmoothTerm<double> smooth;

  template <class Real>
  __device__ ExcludedPair(const ExcludedView& pairs, std::uint32_t k, const DeviceMoment<Real>& now)
      : i(pairs.at[k]),
        j(pairs.at[std::size_t{pairs.n} + k]),
        distance(now.position[i] - now.position[j]),
        factor(-pairs.coulomb * now.charge[i] * now.charge[j]),
        smooth(pairs.form.smooth(dot(distance, distance))) {}
};

/// Adds the forces; one thread per pair.
template <class Real>
__global__ void __launch_bounds__(kThreads)
    excluded_forces_kernel(ExcludedView pairs, DeviceMoment<Real> now, ForceSumsView<Real> sums) {
  const std::uint32_t k = blockIdx.x * kThreads + threadIdx.x;
  if (k >= pairs.n || !now.wants_forces()) return;
  const ExcludedPair pair(pairs, k, now);
  const Vec3<double> force = (pair.factor * pair.smooth.force_over_r) * pair.distance;
  const Vec3<Real> on_i{static_cast<Real>(force.x), static_cast<Real>(force.y), static_cast<Real>(force.z)};
  sums.add(pair.i, on_i);
  sums.add(pair.j, {-on_i.x, -on_i.y, -on_i.z});
}

/// Returns the sum over the threads of a block in thread 0, in a fixed order. All threads must call it.
__device__ double sum_of_excluded_block(double mine) {
  using Reduce = cub::BlockReduce<double, kThreads>;
  __shared__ typename Reduce::TempStorage shared;
  return Reduce(shared).Sum(mine);
}

/// Sums the energies of each block; one thread per pair. partial: [n_blocks].
template <class Real>
__global__ void __launch_bounds__(kThreads)
    excluded_energies_kernel(ExcludedView pairs, DeviceMoment<Real> now, double* partial) {
  const std::uint32_t k = blockIdx.x * kThreads + threadIdx.x;
  double energy = 0;
  if (k < pairs.n) {
    const ExcludedPair pair(pairs, k, now);
    energy = pair.factor * pair.smooth.energy;
  }
  const double sum = sum_of_excluded_block(energy);
  if (threadIdx.x == 0) partial[blockIdx.x] = sum;
}

/// Adds the sums of n blocks in a fixed order; one block.
__global__ void __launch_bounds__(kThreads)
    add_excluded_energy_kernel(const double* partial, std::uint32_t n, double* energy) {
  double mine = 0;
  for (std::uint32_t k = threadIdx.x; k < n; k += kThreads) mine += partial[k];
  const double sum = sum_of_excluded_block(mine);
  if (threadIdx.x == 0) *energy += sum;
}

}  // namespace

template <class Real>
DeviceExcluded<Real>::DeviceExcluded(const Cuda& cuda, const ExcludedPairs& excluded, const Particles& particles,
                                     const CoulombShortRange<double>& form, double coulomb_constant)
    : form_(form), coulomb_(coulomb_constant), atoms_(cuda.stream), d_partial_(cuda.stream) {
  std::vector<std::uint32_t> atom, second;
  for (std::uint32_t i = 0; i < particles.size(); ++i)
    for (const std::uint32_t j : excluded.of(i)) {
      if (j < i || particles.charge[i] == 0 || particles.charge[j] == 0) continue;
      atom.push_back(i);
      second.push_back(j);
    }
  n_pairs_ = static_cast<std::uint32_t>(atom.size());
  if (n_pairs_ == 0) return;
  atom.insert(atom.end(), second.begin(), second.end());
  atoms_.upload(cuda, atom, particles.size());
  d_partial_.resize(blocks(n_pairs_));
}

template <class Real>
void DeviceExcluded<Real>::add_forces(const Cuda& cuda, const DeviceMoment<Real>& now,
                                      const ForceSumsView<Real>& sums) const {
  if (n_pairs_ == 0) return;
  excluded_forces_kernel<<<blocks(n_pairs_), kThreads, 0, cuda.get()>>>(
      ExcludedView{atoms_.at(), n_pairs_, form_, coulomb_}, now, sums);
  DROPMD_CUDA_LAUNCHED("subtracting excluded pairs from a mesh");
}

template <class Real>
void DeviceExcluded<Real>::add_energy(const Cuda& cuda, const DeviceMoment<Real>& now, double* d_energy) const {
  if (n_pairs_ == 0) return;
  excluded_energies_kernel<<<blocks(n_pairs_), kThreads, 0, cuda.get()>>>(
      ExcludedView{atoms_.at(), n_pairs_, form_, coulomb_}, now, d_partial_.data());
  DROPMD_CUDA_LAUNCHED("computing the energies of excluded pairs");
  add_excluded_energy_kernel<<<1, kThreads, 0, cuda.get()>>>(d_partial_.data(), blocks(n_pairs_), d_energy);
  DROPMD_CUDA_LAUNCHED("summing the energies of excluded pairs");
}

template <class Real>
std::uint64_t DeviceExcluded<Real>::bytes(std::size_t n_atoms, std::size_t n_pairs) {
  return n_pairs == 0 ? 0 : TermAtoms::bytes(n_atoms, 2 * n_pairs) + sizeof(double) * blocks(n_pairs);
}

template class DeviceExcluded<float>;
template class DeviceExcluded<double>;

}  // namespace dropmd
