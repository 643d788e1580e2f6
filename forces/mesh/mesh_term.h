#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

#include "forces/many_atom_term.h"
#include "forces/mesh/mesh_parameters.h"

namespace dropmd {

/// The smooth part of an untruncated Coulomb term, which a particle mesh in free space computes. The pair form
/// `short-range` with the same cutoff and bandwidth computes the rest, and both add to the energy `coulomb`.
///
/// The energy is invariant under translation and rotation up to the error of the mesh. There is no list of excluded
/// pairs yet.
class MeshTerm final : public ManyAtomTerm {
 public:
  /// coulomb_constant: k_e, energy length/charge². prices: by which the region of the mesh is chosen.
  MeshTerm(double coulomb_constant, const MeshParameters& parameters, const MeshPrices& prices = kCpuMeshPrices)
      : coulomb_constant_(coulomb_constant), parameters_(parameters), prices_(prices) {}

  const MeshParameters& parameters() const { return parameters_; }

  std::vector<std::string_view> energy_names() const override;
  std::unique_ptr<ForceTerm> on_host(Cpu cpu, const Particles& particles) const override;
  /// Throws InputError: there is no code for a GPU yet.
  std::unique_ptr<DeviceForceTerm<float>> on_gpu_in_mixed(const Cuda& cuda, const Particles& particles) const override;
  std::unique_ptr<DeviceForceTerm<double>> on_gpu_in_double(const Cuda& cuda,
                                                            const Particles& particles) const override;
  std::uint64_t device_bytes(std::size_t n_atoms) const override;

 private:
  double coulomb_constant_;
  MeshParameters parameters_;
  MeshPrices prices_;
};

}  // namespace dropmd
