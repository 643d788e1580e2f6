#include "engine/droplet/molecule_table.h"

#include <algorithm>
#include <numeric>
#include <span>
#include <string_view>
#include <utility>

#include "core/topology/present_atoms.h"
#include "inputs/structures/structure.h"

namespace dropmd {

namespace {

/// Groups atoms into molecules: atoms with the same number, [n_atoms], form one. They need not be neighbours. All
/// numbers are below n_numbers.
template <class NameOf>
MoleculeTable group(const Particles& p, std::span<const std::uint32_t> number, std::size_t n_numbers,
                    const NameOf& name_of) {
  constexpr std::uint32_t kNone = 0xFFFFFFFF;
  std::vector<std::uint32_t> index(n_numbers, kNone);
  MoleculeTable table;
  for (std::uint32_t i = 0; i < p.size(); ++i) {
    std::uint32_t& molecule = index[number[i]];
    if (molecule == kNone) {
      molecule = static_cast<std::uint32_t>(table.size());
      table.id.push_back(p.id_of(i));
      table.first_atom.push_back(i);
      table.n_atoms.push_back(0);
      table.mass.push_back(0);
      table.charge.push_back(0);
      table.name.push_back(name_of(i));
    }
    table.of_atom.push_back(molecule);
    ++table.n_atoms[molecule];
    table.mass[molecule] += p.mass[i];
    table.charge[molecule] += p.charge[i];
  }
  table.begin.resize(table.size());
  std::exclusive_scan(table.n_atoms.begin(), table.n_atoms.end(), table.begin.begin(), 0U);
  table.atom.resize(p.size());
  std::vector<std::uint32_t> next = table.begin;
  for (std::uint32_t i = 0; i < p.size(); ++i) table.atom[next[table.of_atom[i]]++] = i;
  return table;
}

/// Makes sites of the atoms that qualify; in molecules without such an atom, of all atoms with mass.
template <class Qualifies>
void choose_sites(const Particles& particles, const Qualifies& qualifies, MoleculeTable& table) {
  std::vector<char> has_site(table.size());
  for (std::uint32_t i = 0; i < particles.size(); ++i)
    if (qualifies(i)) has_site[table.of_atom[i]] = 1;
  for (std::uint32_t i = 0; i < particles.size(); ++i)
    if (qualifies(i) || (has_site[table.of_atom[i]] == 0 && particles.mass[i] > 0)) table.site.push_back(i);
}

/// Returns for each row of a model's pair parameters whether van der Waals forces act between its atoms.
std::vector<char> rows_with_van_der_waals(const PairModel& model) {
  const std::size_t n = model.n_species;
  std::vector<char> has(n, model.born_mayer ? 1 : 0);
  for (std::size_t a = 0; a < n && model.lj_parameters.size() == n * n; ++a)
    if (model.lj_parameters[a * n + a].epsilon > 0) has[a] = 1;
  return has;
}

std::string species_name(const Particles& p, std::uint32_t atom) { return p.species_names[p.species[atom]]; }

/// Whether an atom with this name is hydrogen, such as HW1 or 2HB, or a virtual site of the usual models of water,
/// which are called MW, EP or LP, or X in files of dropmd.
bool names_no_site(std::string_view name) {
  name.remove_prefix(std::min(name.find_first_not_of("0123456789"), name.size()));
  return name.starts_with('H') || name == "X" || name == "M" || name.starts_with("MW") || name.starts_with("EP") ||
         name.starts_with("LP");
}

}  // namespace

MoleculeTable molecules_of(const System& system) {
  const Particles& p = system.particles;
  const MolecularModel* const model = system.molecules.get();
  std::vector<std::uint32_t> number(p.size());
  std::size_t n_numbers = 0;
  for (std::size_t i = 0; i < p.size(); ++i) {
    number[i] = system.topology ? system.topology->molecule_of(p.id_of(i) - 1) : p.id_of(i);
    n_numbers = std::max<std::size_t>(n_numbers, number[i] + 1);
  }
  MoleculeTable table = group(p, number, n_numbers, [&](std::uint32_t i) {
    const std::uint32_t of_topology = p.id_of(i) - 1;
    if (model == nullptr || of_topology >= model->molecule_name.size()) return species_name(p, i);
    const std::string& name = model->molecule_names[model->molecule_name[of_topology]];
    return name.empty() ? species_name(p, i) : name;
  });
  const std::vector<char> has = rows_with_van_der_waals(system.model);
  choose_sites(
      p, [&](std::uint32_t i) { return has[p.pair_species[i]] != 0; }, table);
  return table;
}

MoleculeTable remaining(MoleculeTable table, std::span<const std::uint32_t> index) {
  MoleculeTable left;
  left.of_atom.resize(table.of_atom.size());
  left.atom.reserve(table.atom.size());
  for (std::size_t k = 0; k < table.size(); ++k) {
    if (index[table.first_atom[k]] == PresentAtoms::kAbsent) continue;
    const auto molecule = static_cast<std::uint32_t>(left.size());
    left.id.push_back(table.id[k]);
    left.first_atom.push_back(index[table.first_atom[k]]);
    left.n_atoms.push_back(table.n_atoms[k]);
    left.mass.push_back(table.mass[k]);
    left.charge.push_back(table.charge[k]);
    left.name.push_back(std::move(table.name[k]));
    left.begin.push_back(static_cast<std::uint32_t>(left.atom.size()));
    for (const std::uint32_t i : table.atoms_of(k)) {
      left.of_atom[index[i]] = molecule;
      left.atom.push_back(index[i]);
    }
  }
  left.of_atom.resize(left.atom.size());
  for (const std::uint32_t i : table.site)
    if (index[i] != PresentAtoms::kAbsent) left.site.push_back(index[i]);
  return left;
}

MoleculeTable molecules_of(const System& system, const Structure& structure) {
  return molecules_of(system.particles, structure);
}

MoleculeTable molecules_of(const Particles& particles, const Structure& structure) {
  Particles p = particles;
  if (p.mass.empty()) p.mass.assign(p.size(), 1);
  if (p.charge.empty()) p.charge.assign(p.size(), 0);
  const bool has_residues = !structure.residue_number.empty() && !structure.residue_name.empty();
  // Files count residues modulo 10,000 or 100,000, so only neighbours with equal numbers belong to one residue.
  const auto begins_molecule = [&](std::size_t i) {
    return i == 0 || !has_residues || structure.residue_number[i] != structure.residue_number[i - 1] ||
           structure.residue_name[i] != structure.residue_name[i - 1];
  };
  std::vector<std::uint32_t> number(p.size());
  std::uint32_t n_molecules = 0;
  for (std::size_t i = 0; i < p.size(); ++i) {
    if (begins_molecule(i)) ++n_molecules;
    number[i] = n_molecules - 1;
  }
  MoleculeTable table = group(p, number, n_molecules, [&](std::uint32_t i) {
    return has_residues ? structure.residue_name[i] : species_name(p, i);
  });
  const auto qualifies = [&](std::uint32_t i) {
    const bool has_name = !structure.atom_name.empty();
    return !names_no_site(has_name ? structure.atom_name[i] : species_name(p, i));
  };
  choose_sites(p, qualifies, table);
  return table;
}

namespace {

/// Whether the molecules of all present atoms have names.
bool all_have_names(const System& system) {
  const MolecularModel& model = *system.molecules;
  if (std::find(model.molecule_names.begin(), model.molecule_names.end(), "") == model.molecule_names.end())
    return !model.molecule_names.empty();
  for (std::size_t i = 0; i < system.particles.size(); ++i) {
    const std::uint32_t number = system.particles.id_of(i) - 1;
    if (number >= model.size() || model.molecule_names[model.molecule_name[number]].empty()) return false;
  }
  return true;
}

}  // namespace

std::vector<std::string> names_of_molecules(const System& system) {
  std::vector<std::string> names;
  const auto add = [&](const std::string& name) {
    if (!name.empty() && std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
  };
  if (system.molecules) {
    for (const std::string& name : system.molecules->molecule_names) add(name);
    if (all_have_names(system)) return names;
  }
  for (const std::string& name : system.particles.species_names) add(name);
  return names;
}

}  // namespace dropmd
