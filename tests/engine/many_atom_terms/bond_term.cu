#include "device/buffer.cuh"
#include "forces/device_force_term.cuh"
#include "tests/engine/many_atom_terms/bond_term.h"

namespace dropmd {

namespace {

struct BondView {
  const TestBond* bond;     ///< [n_bonds] by index in the host's arrays
  const std::uint32_t* at;  ///< [n_atoms] storage index by host index
  std::uint32_t n_bonds;
  BondFormula form;

  template <class Real>
  __device__ BondFormula::Value value_of(const DeviceMoment<Real>& now, std::uint32_t k) const {
    return form(now.position[at[bond[k].a]] - now.position[at[bond[k].b]]);
  }
};

template <class Real>
__global__ void invert_order_kernel(DeviceMoment<Real> now, std::uint32_t* at) {
  const std::uint32_t k = blockIdx.x * blockDim.x + threadIdx.x;
  if (k < now.n_atoms) at[now.host_index[k]] = k;
}

template <class Real>
__global__ void bond_forces_kernel(BondView bonds, DeviceMoment<Real> now, ForceSumsView<Real> sums) {
  const std::uint32_t k = blockIdx.x * blockDim.x + threadIdx.x;
  if (k >= bonds.n_bonds || !now.wants_forces()) return;
  const Vec3<double> f = bonds.value_of(now, k).force_on_a;
  const Vec3<Real> on_a{static_cast<Real>(f.x), static_cast<Real>(f.y), static_cast<Real>(f.z)};
  sums.add(bonds.at[bonds.bond[k].a], on_a);
  sums.add(bonds.at[bonds.bond[k].b], {-on_a.x, -on_a.y, -on_a.z});
}

/// By one thread, in the order of the bonds.
template <class Real>
__global__ void bond_energy_kernel(BondView bonds, DeviceMoment<Real> now, double* energy) {
  *energy = 0;
  for (std::uint32_t k = 0; k < bonds.n_bonds; ++k) *energy += bonds.value_of(now, k).energy;
}

constexpr std::uint32_t kThreads = 128;
std::uint32_t blocks(std::uint32_t n) { return (n + kThreads - 1) / kThreads; }

template <class Real>
class DeviceBonds final : public DeviceForceTerm<Real> {
 public:
  DeviceBonds(const Cuda& cuda, const std::vector<TestBond>& bonds, std::size_t n_atoms, const BondFormula& form)
      : d_bond_(cuda.stream), d_at_(cuda.stream) {
    d_bond_.upload(bonds);
    d_at_.resize(n_atoms);
    cuda.stream.synchronize("copying bonds to the device");
    view_ = {d_bond_.data(), d_at_.data(), static_cast<std::uint32_t>(bonds.size()), form};
  }

  void reordered(const Cuda& cuda, const DeviceMoment<Real>& now) override {
    invert_order_kernel<<<blocks(now.n_atoms), kThreads, 0, cuda.get()>>>(now, d_at_.data());
    DROPMD_CUDA_LAUNCHED("ordering bonds");
  }
  void add_forces(const Cuda& cuda, const DeviceMoment<Real>& now, const ForceSumsView<Real>& sums) const override {
    if (view_.n_bonds == 0) return;
    bond_forces_kernel<<<blocks(view_.n_bonds), kThreads, 0, cuda.get()>>>(view_, now, sums);
    DROPMD_CUDA_LAUNCHED("computing bonds");
  }
  void energies(const Cuda& cuda, const DeviceMoment<Real>& now, double* d_energy) const override {
    bond_energy_kernel<<<1, 1, 0, cuda.get()>>>(view_, now, d_energy);
    DROPMD_CUDA_LAUNCHED("computing the energy of bonds");
  }

 private:
  DeviceBuffer<TestBond> d_bond_;
  DeviceBuffer<std::uint32_t> d_at_;
  BondView view_{};
};

}  // namespace

std::unique_ptr<DeviceForceTerm<float>> BondTerm::on_gpu_in_mixed(const Cuda& cuda, const Particles& particles) const {
  return std::make_unique<DeviceBonds<float>>(cuda, bonds_of(particles), particles.size(), form_);
}

std::unique_ptr<DeviceForceTerm<double>> BondTerm::on_gpu_in_double(const Cuda& cuda,
                                                                    const Particles& particles) const {
  return std::make_unique<DeviceBonds<double>>(cuda, bonds_of(particles), particles.size(), form_);
}

}  // namespace dropmd
