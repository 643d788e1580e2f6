#include "forces/mesh/mesh_term.h"

#include "core/errors.h"
#include "forces/mesh/host_mesh.h"
#include "forces/pair/pair_force_term.h"

namespace dropmd {

namespace {

[[noreturn]] void throw_without_gpu() {
  throw InputError("the mesh has no GPU code yet (--backend cpu computes it, coulomb.method = \"direct\" needs none)");
}

}  // namespace

std::vector<std::string_view> MeshTerm::energy_names() const { return {kCoulombEnergy}; }

std::unique_ptr<ForceTerm> MeshTerm::on_host(Cpu cpu, const Particles& particles) const {
  return std::make_unique<HostMesh>(cpu, coulomb_constant_, parameters_, prices_, particles);
}

std::unique_ptr<DeviceForceTerm<float>> MeshTerm::on_gpu_in_mixed(const Cuda&, const Particles&) const {
  throw_without_gpu();
}

std::unique_ptr<DeviceForceTerm<double>> MeshTerm::on_gpu_in_double(const Cuda&, const Particles&) const {
  throw_without_gpu();
}

std::uint64_t MeshTerm::device_bytes(std::size_t) const { return 0; }

}  // namespace dropmd
