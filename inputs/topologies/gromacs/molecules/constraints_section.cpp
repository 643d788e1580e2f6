#include <fmt/core.h>

#include "inputs/text_source.h"
#include "inputs/topologies/gromacs/molecules/molecule_sections.h"
#include "inputs/topologies/gromacs/molecules/parameter_lookup.h"
#include "inputs/topologies/topology_units.h"

namespace dropmd::gromacs {
namespace {

void add_constraint(const AtomNumbers<2>& atoms, double length_nm, const TopologyWord& word, const TopologyLine& line,
                    MoleculeType& molecule) {
  if (!(length_nm > 0))
    line.sources().fail(word.place,
                        fmt::format("a constrained length is {} nm (it must be greater than 0)", length_nm));
  molecule.constraints.push_back({atoms, angstrom_of(length_nm)});
  molecule.places.constraints.push_back(line.word(0).place);
}

}  // namespace

void read_constraint_line(const TopologyLine& line, const ForceField& field, MoleculeType& molecule) {
  WordReader words(line, "i j func [b0]");
  const auto atoms = read_atoms<2>(words, molecule);
  const InteractionFunction& function = read_function(words, Directive::constraints);
  const TopologyWord first = words.peek();
  const Parameters parameters = bonded_parameters(words, function, atoms, molecule, field);
  add_constraint(atoms, parameters[0], first, line, molecule);
  if (function.number == 1) molecule.chemical_bonds.push_back(atoms);
}

/// As in GROMACS, [ settles ] makes no bonds that nrexcl would count.
void read_settle_line(const TopologyLine& line, MoleculeType& molecule) {
  WordReader words(line, "OW func doh dhh");
  const TopologyWord word = words.peek();
  const std::uint32_t oxygen = read_atom(words, molecule);
  if (oxygen + 2 >= molecule.atoms.size())
    words.fail(
        word,
        fmt::format(
            "[ settles ] needs atoms {} to {}, but the molecule type has {} (two hydrogens must follow the oxygen)",
            oxygen + 1, oxygen + 3, molecule.atoms.size()));
  const InteractionFunction& function = read_function(words, Directive::settles);
  const TopologyWord first = words.peek();
  const auto lengths = read_parameters(words, function);
  if (!lengths) words.fail(first, "the line ends before the parameters (columns: OW func doh dhh)");
  const double doh = (*lengths)[0], dhh = (*lengths)[1];
  if (dhh >= 2 * doh && doh > 0)
    words.fail(
        first,
        fmt::format("doh is {} nm and dhh {} nm, which is not a triangle (dhh must be less than twice doh)", doh, dhh));
  add_constraint({oxygen, oxygen + 1}, doh, first, line, molecule);
  add_constraint({oxygen, oxygen + 2}, doh, first, line, molecule);
  add_constraint({oxygen + 1, oxygen + 2}, dhh, first, line, molecule);
}

void read_exclusion_line(const TopologyLine& line, MoleculeType& molecule) {
  WordReader words(line, "i j ...");
  const std::uint32_t atom = read_atom(words, molecule);
  while (words.n_left() > 0) {
    const std::uint32_t other = read_atom(words, molecule);
    if (other != atom) molecule.excluded_pairs.push_back({atom, other});
  }
}

}  // namespace dropmd::gromacs
