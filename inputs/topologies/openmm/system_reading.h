#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/topology/molecular_model.h"
#include "inputs/topologies/openmm/xml_element.h"

/// The parts of an OpenMM System that are read one after the other. Files are in nm, kJ/mol, rad, g/mol and e.
namespace dropmd::openmm {

using AtomPair = std::array<std::uint32_t, 2>;

/// The van der Waals terms of all pairs of types, as a CustomNonbondedForce gives them.
struct CustomLj {
  /// [n_atoms] the parameters of each atom.
  std::vector<std::array<double, 2>> parameters;
  /// Returns ε and σ of atoms with those parameters, in units real.
  std::function<LjParameters(const std::array<double, 2>&, const std::array<double, 2>&)> pair;
  std::set<AtomPair> exclusions;
  XmlElement force;
};

/// What has been read, and what follows from it only when all forces have been read.
struct SystemReading {
  explicit SystemReading(MolecularModel& result) : model(result) {}

  MolecularModel& model;
  std::size_t n_atoms = 0;
  /// Pairs of atoms that belong to one molecule.
  std::vector<AtomPair> connections;

  std::optional<XmlElement> nonbonded;               ///< the NonbondedForce
  std::vector<std::array<double, 2>> sigma_epsilon;  ///< [n_atoms] of the NonbondedForce: nm, kJ/mol
  std::set<AtomPair> exceptions;                     ///< the pairs that the NonbondedForce leaves out
  std::optional<CustomLj> custom_lj;                 ///< instead of sigma_epsilon
  bool is_periodic = false;                          ///< whether a force uses the periodic box

  /// Adds a warning, once.
  void warn(const std::string& message) {
    const std::string warning = model.file + ": " + message;
    if (model.warnings.empty() || model.warnings.back() != warning) model.warnings.push_back(warning);
  }
};

/// Returns two atoms in ascending order.
inline AtomPair ordered(std::uint32_t a, std::uint32_t b) { return a < b ? AtomPair{a, b} : AtomPair{b, a}; }

/// Reads a pair `p1`, `p2` of different particles.
AtomPair read_pair(const XmlElement& element, std::size_t n_atoms);

/// Throws if a force has global parameters or other things that change its energy.
void require_no_parameters(const XmlElement& force);

/// Returns the attributes (param1, ...) that hold the parameters with these names in the items of a custom force. list:
/// that of the parameters, such as "PerBondParameters".
std::vector<std::string> parameter_attributes(const XmlElement& force, const char* list,
                                              std::span<const std::string_view> names);

/// Warns of the settings of a cutoff, which are ignored since the run file has its own.
void note_cutoff(const XmlElement& force, SystemReading& reading);

void read_particles(const XmlElement& system, SystemReading& reading);
void read_constraints(const XmlElement& system, SystemReading& reading);
/// Reads the construction of the virtual site that is particle `number`.
void read_virtual_site(const XmlElement& element, std::uint32_t number, SystemReading& reading);

void read_harmonic_bonds(const XmlElement& force, SystemReading& reading);
void read_harmonic_angles(const XmlElement& force, SystemReading& reading);
void read_periodic_torsions(const XmlElement& force, SystemReading& reading);
void read_rb_torsions(const XmlElement& force, SystemReading& reading);
void read_cmap_torsions(const XmlElement& force, SystemReading& reading);
void read_custom_torsions(const XmlElement& force, SystemReading& reading);
/// Van der Waals terms of single pairs.
void read_custom_bonds(const XmlElement& force, SystemReading& reading);
void read_nonbonded(const XmlElement& force, SystemReading& reading);
void read_custom_nonbonded(const XmlElement& force, SystemReading& reading);

/// Sets types, their table of van der Waals parameters, and exclusions, when all forces have been read.
void finish_nonbonded(SystemReading& reading);
/// Sets the molecules, when all forces have been read: the atoms that bonds, constraints, virtual sites and exclusions
/// connect.
void finish_molecules(SystemReading& reading);

}  // namespace dropmd::openmm
