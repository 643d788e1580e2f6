#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string_view>
#include <utility>
#include <vector>

#include "core/topology/topology.h"
#include "forces/many_atom_term.h"

namespace dropmd {

/// The bonded terms of a topology: bonds, angles, dihedrals, CMAP, pairs with parameters of their own and position
/// restraints (forces/bonded/potentials). They are computed in fp64 on both processors, even in mixed precision: they
/// are few compared with the pairs, and their stiffest forces are differences of nearly equal lengths.
///
/// Terms of atoms that have left are omitted; a term only some of whose atoms are present is a std::logic_error upon
/// construction for a processor. The energies are those of the kinds that the topology has, in the order bond, angle,
/// urey_bradley, dihedral, improper, cmap, lj_14, coulomb_14, position_restraint.
class BondedTerm final : public ManyAtomTerm {
 public:
  /// coulomb_constant: k_e, energy length/charge². Throws std::invalid_argument if a CMAP term has no grid, or a grid
  /// does not have size² values.
  BondedTerm(std::shared_ptr<const Topology> topology, double coulomb_constant);

  std::vector<std::string_view> energy_names() const override;
  Invariance invariance() const override;
  std::unique_ptr<ForceTerm> on_host(Cpu cpu, const Particles& particles) const override;
  std::unique_ptr<DeviceForceTerm<float>> on_gpu_in_mixed(const Cuda& cuda, const Particles& particles) const override;
  std::unique_ptr<DeviceForceTerm<double>> on_gpu_in_double(const Cuda& cuda,
                                                            const Particles& particles) const override;
  /// With the terms of all atoms of the topology.
  std::uint64_t device_bytes(std::size_t n_atoms) const override;

 private:
  std::shared_ptr<const Topology> topology_;
  double coulomb_constant_;
};

}  // namespace dropmd
