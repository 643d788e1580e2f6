#include <fmt/core.h>

#include <cmath>

#include "inputs/text_source.h"
#include "inputs/topologies/gromacs/molecules/molecule_sections.h"
#include "inputs/topologies/gromacs/molecules/parameter_lookup.h"
#include "inputs/topologies/topology_units.h"

namespace dropmd::gromacs {
namespace {

template <class Term>
std::vector<Term>& terms_of(MoleculeType& molecule) {
  return std::get<std::vector<Term>>(molecule.terms);
}

void require_length(const Parameters& parameters, std::size_t k, std::string_view what, const TopologyLine& line) {
  if (parameters[k] < 0)
    line.sources().fail(parameters.place, fmt::format("{} is {} nm (it must be at least 0)", what, parameters[k]));
}

std::int32_t multiplicity_of(double n, const TextPlace& place, const TopologyLine& line) {
  constexpr double kMost = 99;
  if (n != std::round(n) || std::abs(n) > kMost)
    line.sources().fail(place, fmt::format("the multiplicity is {} (it must be a whole number up to 99)", n));
  return static_cast<std::int32_t>(n);
}

/// F1 to F4 of a Fourier dihedral, ½[F1(1 + cos φ) + F2(1 − cos 2φ) + F3(1 + cos 3φ) + F4(1 − cos 4φ)], as powers of
/// cos ψ, ψ = φ − 180°.
std::array<double, 6> from_fourier(const Parameters& f) {
  return {f[1] + (f[0] + f[2]) / 2, (3 * f[2] - f[0]) / 2, 4 * f[3] - f[1], -2 * f[2], -4 * f[3], 0};
}

void add_ryckaert_bellemans(const AtomNumbers<4>& atoms, std::array<double, 6> c, MoleculeType& molecule) {
  if (c == std::array<double, 6>{}) return;
  for (double& value : c) value = kcal_of(value);
  terms_of<RyckaertBellemans>(molecule).push_back({atoms, c});
}

}  // namespace

void read_bond_line(const TopologyLine& line, const ForceField& field, MoleculeType& molecule) {
  WordReader words(line, "i j func [parameters]");
  const auto atoms = read_atoms<2>(words, molecule);
  const InteractionFunction& function = read_function(words, Directive::bonds);
  const Parameters parameters = bonded_parameters(words, function, atoms, molecule, field);
  molecule.chemical_bonds.push_back(atoms);
  if (function.number == 5) return;
  require_length(parameters, 0, "the length of a bond", line);
  terms_of<HarmonicBond>(molecule).push_back({atoms, stiffness_of(parameters[1]), angstrom_of(parameters[0])});
}

void read_angle_line(const TopologyLine& line, const ForceField& field, MoleculeType& molecule) {
  WordReader words(line, "i j k func [parameters]");
  const auto atoms = read_atoms<3>(words, molecule);
  const InteractionFunction& function = read_function(words, Directive::angles);
  const Parameters parameters = bonded_parameters(words, function, atoms, molecule, field);
  terms_of<HarmonicAngle>(molecule).push_back({atoms, kcal_of(parameters[1]), radian_of(parameters[0])});
  if (function.number != 5 || parameters[3] == 0) return;
  require_length(parameters, 2, "the length of a Urey-Bradley term", line);
  terms_of<UreyBradley>(molecule).push_back(
      {{atoms[0], atoms[2]}, stiffness_of(parameters[3]), angstrom_of(parameters[2])});
}

void read_dihedral_line(const TopologyLine& line, const ForceField& field, MoleculeType& molecule) {
  WordReader words(line, "i j k l func [parameters]");
  const auto atoms = read_atoms<4>(words, molecule);
  const InteractionFunction& function = read_function(words, Directive::dihedrals);
  for (const Parameters& p : dihedral_parameters(words, function, atoms, molecule, field)) {
    const bool has_energy = p[1] != 0;  // many terms of force fields have none; GROMACS drops them, too
    if (function.number == 3)
      add_ryckaert_bellemans(atoms, p.value, molecule);
    else if (function.number == 5)
      add_ryckaert_bellemans(atoms, from_fourier(p), molecule);
    else if (function.number == 2 && has_energy)
      terms_of<HarmonicImproper>(molecule).push_back({atoms, kcal_of(p[1]), radian_of(p[0])});
    else if (function.number != 2 && has_energy)
      terms_of<PeriodicDihedral>(molecule).push_back(
          {atoms, kcal_of(p[1]), radian_of(p[0]), multiplicity_of(p[2], p.place, line)});
  }
}

void read_cmap_line(const TopologyLine& line, const ForceField& field, MoleculeType& molecule) {
  WordReader words(line, "i j k l m func");
  const auto atoms = read_atoms<5>(words, molecule);
  if (words.n_left() > 0) read_function(words, Directive::cmap);
  words.expect_end();
  TypeKey types{};
  for (std::size_t k = 0; k < atoms.size(); ++k) types[k] = field.types[molecule.atoms[atoms[k]].type].bonded;
  const auto grid = field.cmap_types.find(types);
  if (grid == field.cmap_types.end())
    words.fail(line.word(0), fmt::format("no grid for atoms {} (add one for these types to [ cmaptypes ])",
                                         text_of_atoms(atoms, molecule, field)));
  terms_of<CmapDihedrals>(molecule).push_back({atoms, grid->second});
}

void read_position_restraint_line(const TopologyLine& line, MoleculeType& molecule) {
  WordReader words(line, "i func kx ky kz");
  const auto atoms = read_atoms<1>(words, molecule);
  const InteractionFunction& function = read_function(words, Directive::position_restraints);
  const auto k = read_parameters(words, function);
  if (!k) words.fail(words.peek(), "the line ends before the parameters (columns: i func kx ky kz)");
  const Vec3<double> stiffness{stiffness_of((*k)[0]), stiffness_of((*k)[1]), stiffness_of((*k)[2])};
  terms_of<PositionRestraint>(molecule).push_back({atoms, stiffness, {}});
}

}  // namespace dropmd::gromacs
