#include "forces/bonded/bonded_term.h"

#include <stdexcept>

#include "forces/bonded/host_bonded.h"
#include "forces/bonded/potentials/bonded_potentials.h"

namespace dropmd {

BondedTerm::BondedTerm(std::shared_ptr<const Topology> topology, double coulomb_constant)
    : topology_(std::move(topology)), coulomb_constant_(coulomb_constant) {
  for (const CmapDihedrals& term : terms_of<CmapPotential>(topology_->terms))
    if (term.grid >= topology_->cmap_grids.size()) throw std::invalid_argument("a CMAP term has no grid");
  for (const CmapGrid& grid : topology_->cmap_grids)
    if (grid.size == 0 || grid.energy.size() != std::size_t{grid.size} * grid.size)
      throw std::invalid_argument("a CMAP grid does not have a value for each of its points");
}

std::vector<std::string_view> BondedTerm::energy_names() const { return bonded_energy_names(topology_->terms); }

Invariance BondedTerm::invariance() const {
  const bool free = terms_of<PositionRestraintPotential>(topology_->terms).empty();
  return {.translation = free, .rotation = free};
}

std::unique_ptr<ForceTerm> BondedTerm::on_host(Cpu cpu, const Particles& particles) const {
  return std::make_unique<HostBonded>(cpu, topology_, coulomb_constant_, particles);
}

}  // namespace dropmd
