#include <fmt/core.h>

#include <tuple>

#include "core/connected_components.h"
#include "inputs/topologies/openmm/system_reading.h"

namespace dropmd::openmm {
namespace {

template <class Term>
void require_whole(const std::vector<Term>& terms, const std::vector<std::uint32_t>& molecule,
                   const std::string& file) {
  for (const Term& term : terms)
    for (const std::uint32_t atom : term.atom)
      if (molecule[atom] != molecule[term.atom[0]])
        throw InputError(SourcePlace{file},
                         fmt::format("a term of the energy {} acts between particles {} and {} of different molecules "
                                     "(connect them by a bond, which may have k = 0)",
                                     Term::kEnergy, term.atom[0], atom));
}

}  // namespace

void finish_molecules(SystemReading& reading) {
  MolecularModel& model = reading.model;
  ConnectedComponents components(reading.n_atoms);
  for (const AtomPair& pair : reading.connections) components.join(pair[0], pair[1]);
  const Exclusions& exclusions = model.topology.exclusions;
  for (std::uint32_t i = 0; i < reading.n_atoms; ++i)
    for (const std::uint32_t j : exclusions.of(i)) components.join(i, j);
  const std::vector<std::uint32_t> molecule = components.labels();
  std::apply([&](const auto&... terms) { (require_whole(terms, molecule, model.file), ...); }, model.topology.terms);
  for (const std::uint32_t first : molecule) model.topology.molecule.push_back(first + 1);
  model.molecule_name.assign(reading.n_atoms, 0);
  model.molecule_names = {""};
}

}  // namespace dropmd::openmm
