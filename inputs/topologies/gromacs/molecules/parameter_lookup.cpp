#include "inputs/topologies/gromacs/molecules/parameter_lookup.h"

#include <fmt/core.h>

#include <array>

#include "inputs/text_source.h"

namespace dropmd::gromacs {
namespace {

/// Bonded types of the atoms.
std::array<std::uint32_t, 4> types_of(std::span<const std::uint32_t> atoms, const MoleculeType& molecule,
                                      const ForceField& field) {
  std::array<std::uint32_t, 4> types{};
  for (std::size_t k = 0; k < atoms.size(); ++k) types[k] = field.types[molecule.atoms[atoms[k]].type].bonded;
  return types;
}

std::string_view types_section(const InteractionFunction& function) {
  if (function.directive == Directive::bonds) return "bondtypes";
  if (function.directive == Directive::constraints) return "constrainttypes";
  return function.directive == Directive::angles ? "angletypes" : "dihedraltypes";
}

[[noreturn]] void fail_without_parameters(const WordReader& words, const InteractionFunction& function,
                                          std::span<const std::uint32_t> atoms, const MoleculeType& molecule,
                                          const ForceField& field) {
  const auto bonded = types_of(atoms, molecule, field);
  std::string types;
  for (std::size_t k = 0; k < atoms.size(); ++k) types += shown(field.bonded_names.name(bonded[k])) + " ";
  words.fail(words.peek(),
             fmt::format("no parameters for atoms {} and function {} (add them here, {}, or '{}{} {}' to [ {} ])",
                         text_of_atoms(atoms, molecule, field), function.number, function.columns, types,
                         function.number, function.columns, types_section(function)));
}

}  // namespace

Parameters bonded_parameters(WordReader& words, const InteractionFunction& function,
                             std::span<const std::uint32_t> atoms, const MoleculeType& molecule,
                             const ForceField& field) {
  if (const auto parameters = read_parameters(words, function)) return *parameters;
  if (function.n_parameters == 0) return {};
  const auto types = types_of(atoms, molecule, field);
  const auto table = field.bonded.find(&function);
  const Parameters* const found =
      table == field.bonded.end() ? nullptr : table->second.find(std::span(types).first(atoms.size()));
  if (found == nullptr) fail_without_parameters(words, function, atoms, molecule, field);
  return *found;
}

std::vector<Parameters> dihedral_parameters(WordReader& words, const InteractionFunction& function,
                                            std::span<const std::uint32_t> atoms, const MoleculeType& molecule,
                                            const ForceField& field) {
  if (const auto parameters = read_parameters(words, function)) return {*parameters};
  std::vector<Parameters> terms;
  const auto table = field.dihedrals.find(dihedral_table_of(function));
  if (table != field.dihedrals.end())
    for (const Parameters* const term : table->second.find(types_of(atoms, molecule, field))) terms.push_back(*term);
  if (terms.empty()) fail_without_parameters(words, function, atoms, molecule, field);
  return terms;
}

}  // namespace dropmd::gromacs
