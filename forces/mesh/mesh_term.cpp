#include "forces/mesh/mesh_term.h"

#include <stdexcept>
#include <utility>

#include "forces/mesh/host_mesh.h"
#include "forces/mesh/mesh_potential.h"
#include "forces/pair/pair_force_term.h"

namespace dropmd {

std::vector<std::string_view> MeshTerm::energy_names() const { return {kCoulombEnergy}; }

std::shared_ptr<const MeshTerm> MeshTerm::with_topology(std::shared_ptr<const Topology> topology) const {
  auto term = std::make_shared<MeshTerm>(*this);
  term->topology_ = std::move(topology);
  return term;
}

std::unique_ptr<ForceTerm> MeshTerm::on_host(Cpu cpu, const Particles& particles) const {
  return std::make_unique<HostMesh>(cpu, coulomb_constant_, parameters_, prices_, particles, pairs_,
                                    excluded(particles), known_);
}

std::uint64_t MeshTerm::host_bytes() const {
  return MeshPotential::bytes(expected_.points) + MeshPotential::bytes(expected_.coarse_points);
}

ExcludedPairs MeshTerm::excluded(const Particles& particles) const {
  return topology_ ? ExcludedPairs(topology_->exclusions, particles) : ExcludedPairs();
}

#if !DROPMD_HAS_CUDA  // else in cuda/device_mesh_term.cu
std::unique_ptr<DeviceForceTerm<float>> MeshTerm::on_gpu_in_mixed(const Cuda&, const Particles&) const {
  throw std::logic_error("a build without CUDA makes no steps on a GPU");
}
std::unique_ptr<DeviceForceTerm<double>> MeshTerm::on_gpu_in_double(const Cuda&, const Particles&) const {
  throw std::logic_error("a build without CUDA makes no steps on a GPU");
}
std::uint64_t MeshTerm::device_bytes(std::size_t) const { return 0; }
#endif

}  // namespace dropmd
