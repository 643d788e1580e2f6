#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string_view>
#include <tuple>
#include <vector>

#include "core/execution.h"
#include "core/particles.h"
#include "core/raw_vector.h"
#include "core/topology/topology.h"
#include "forces/bonded/potentials/bonded_potentials.h"
#include "forces/bonded/reference/cmap_splines.h"
#include "forces/force_term.h"

namespace dropmd {

/// Bonded terms on the host. Every term writes the forces on its atoms to elements of its own in an array; then each
/// atom adds up the forces on it in the order of the terms. Neither depends on the number of threads.
class HostBonded final : public ForceTerm {
 public:
  /// coulomb_constant: k_e, energy length/charge². Throws std::logic_error for a term only some of whose atoms are
  /// present.
  HostBonded(Cpu cpu, std::shared_ptr<const Topology> topology, double coulomb_constant, const Particles& particles);

  std::vector<std::string_view> energy_names() const override;
  void evaluate(const Moment& now, Want want, bool first, std::span<Vec3<double>> force, Energies& energies) override;
  /// In long double, by formulas that share nothing with those of evaluate() (forces/bonded/reference).
  void add_reference(Cpu cpu, const Moment& now, std::span<const std::uint32_t> sample,
                     std::span<AtomSums> sums) const override;
  void add_reference_energies(Cpu cpu, const Moment& now, Energies& energies) const override;
  std::uint64_t bytes() const override;

 private:
  /// The terms of one potential that are present.
  template <class Potential>
  struct Kind {
    std::vector<Potential> potential;                   ///< [n_terms]
    std::vector<decltype(Potential::Term::atom)> atom;  ///< [n_terms] indices of atoms
    std::vector<std::uint32_t> term;                    ///< [n_terms] index in the topology
    std::size_t first_force = 0;                        ///< index of the first of [n_terms][kAtoms] forces
  };
  template <class... Potential>
  static std::tuple<Kind<Potential>...> kinds_of(std::tuple<Potential...>*);

  /// Calls visit(kind) for all kinds in order.
  template <class Self, class Visit>
  static void for_each_kind(Self& self, const Visit& visit) {
    std::apply([&](auto&... kind) { (visit(kind), ...); }, self.kinds_);
  }

  void find_forces_of_atoms(std::size_t n_atoms, std::size_t n_forces);
  std::span<const std::uint32_t> forces_of(std::size_t atom) const {
    return std::span(force_of_atom_).subspan(first_of_atom_[atom], first_of_atom_[atom + 1] - first_of_atom_[atom]);
  }

  Cpu cpu_;
  std::shared_ptr<const Topology> topology_;
  double coulomb_constant_;
  std::vector<CmapCell> cmap_cells_;
  bonded_reference::CmapSplines cmap_splines_;
  decltype(kinds_of(static_cast<BondedPotentials*>(nullptr))) kinds_;
  RawVector<Vec3<double>> force_;             ///< [n_forces] on atoms of terms, of the last evaluation
  std::vector<std::uint32_t> first_of_atom_;  ///< [n_atoms + 1] where each atom begins in force_of_atom_
  std::vector<std::uint32_t> force_of_atom_;  ///< [n_forces] indices into force_, ascending for each atom
};

}  // namespace dropmd
