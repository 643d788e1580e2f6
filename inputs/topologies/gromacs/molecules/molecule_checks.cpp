#include "inputs/topologies/gromacs/molecules/molecule_checks.h"

#include <fmt/core.h>

#include <algorithm>
#include <map>

#include "inputs/text_source.h"

namespace dropmd::gromacs {
namespace {

/// Which atoms are constructed as virtual sites.
class SiteMarks {
 public:
  SiteMarks(const MoleculeType& molecule, const SourceMap& sources)
      : molecule_(&molecule), sources_(&sources), is_site_(molecule.atoms.size(), false) {
    for (std::size_t k = 0; k < molecule.virtual_sites.size(); ++k)
      mark(molecule.virtual_sites[k].site, molecule.places.virtual_sites[k]);
    for (std::size_t k = 0; k < molecule.weighted_sites.size(); ++k)
      mark(molecule.weighted_sites[k].site, molecule.places.weighted_sites[k]);
  }

  bool is_site(std::uint32_t atom) const { return is_site_[atom]; }
  void require_mass(std::uint32_t parent, const TextPlace& place) const {
    if (is_site(parent))
      sources_->fail(place, fmt::format("the parent {} is a virtual site itself (construct sites from atoms with mass)",
                                        parent + 1));
  }
  void check_parents() const {
    for (std::size_t k = 0; k < molecule_->virtual_sites.size(); ++k) {
      const VirtualSite& site = molecule_->virtual_sites[k];
      for (std::size_t p = 0; p < n_parents(site.form); ++p)
        require_mass(site.parent[p], molecule_->places.virtual_sites[k]);
    }
    for (std::size_t k = 0; k < molecule_->weighted_sites.size(); ++k)
      for (const std::uint32_t parent : molecule_->weighted_sites[k].parent)
        require_mass(parent, molecule_->places.weighted_sites[k]);
  }

 private:
  void mark(std::uint32_t atom, const TextPlace& place) {
    if (is_site_[atom])
      sources_->fail(place, fmt::format("the virtual site {} is constructed twice (once is enough)", atom + 1));
    is_site_[atom] = true;
  }

  const MoleculeType* molecule_;
  const SourceMap* sources_;
  std::vector<bool> is_site_;
};

void check_masses(const MoleculeType& molecule, const ForceField& field, const SourceMap& sources,
                  const SiteMarks& sites) {
  for (std::uint32_t k = 0; k < molecule.atoms.size(); ++k) {
    const MoleculeAtom& atom = molecule.atoms[k];
    const std::string name = fmt::format("{} {}", shown(atom.name), k + 1);
    if (sites.is_site(k)) {
      if (atom.mass != 0)
        sources.fail(atom.place, fmt::format("the virtual site {} has the mass {} (it must be 0)", name, atom.mass));
    } else if (field.types[atom.type].is_site) {
      sources.fail(atom.place, fmt::format("the virtual site {} is not constructed (add it to a section [ "
                                           "virtual_sites ], or use a type with particle type A)",
                                           name));
    } else if (atom.mass == 0) {
      sources.fail(atom.place,
                   fmt::format("the mass of atom {} is 0 (it must be greater than 0, except for virtual sites)", name));
    }
  }
}

void check_constraints(const MoleculeType& molecule, const SourceMap& sources, const SiteMarks& sites) {
  std::map<AtomNumbers<2>, TextPlace> seen;
  for (std::size_t k = 0; k < molecule.constraints.size(); ++k) {
    AtomNumbers<2> pair = molecule.constraints[k].atom;
    const TextPlace& place = molecule.places.constraints[k];
    std::sort(pair.begin(), pair.end());
    for (const std::uint32_t atom : pair)
      if (sites.is_site(atom))
        sources.fail(place, fmt::format("a constraint of atom {}, which is a virtual site (constrain atoms with mass)",
                                        atom + 1));
    const auto [before, is_new] = seen.emplace(pair, place);
    if (!is_new)
      sources.fail(place, fmt::format("atoms {} and {} are constrained a second time (line {} already does this)",
                                      pair[0] + 1, pair[1] + 1, before->second.line));
  }
}

}  // namespace

void check_molecule_type(const MoleculeType& molecule, const ForceField& field, const SourceMap& sources) {
  if (molecule.atoms.empty())
    sources.fail(molecule.place,
                 fmt::format("the molecule type {} has no atoms (add [ atoms ])", in_quotes(molecule.name)));
  const SiteMarks sites(molecule, sources);
  check_masses(molecule, field, sources, sites);
  sites.check_parents();
  check_constraints(molecule, sources, sites);
}

}  // namespace dropmd::gromacs
