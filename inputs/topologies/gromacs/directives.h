#pragma once

#include <bitset>
#include <cstdint>
#include <optional>
#include <string_view>

#include "inputs/topologies/gromacs/text/topology_line.h"

namespace dropmd::gromacs {

/// The sections of a topology, "[ name ]"; the order here is that of the table in directives.cpp.
enum class Directive : std::uint8_t {
  defaults,
  atomtypes,
  bondtypes,
  constrainttypes,
  pairtypes,
  angletypes,
  dihedraltypes,
  nonbond_params,
  implicit_genborn_params,
  implicit_surface_params,
  cmaptypes,
  moleculetype,  ///< those above must not follow it
  atoms,
  virtual_sites1,
  virtual_sites2,
  virtual_sites3,
  virtual_sites4,
  virtual_sitesn,
  bonds,
  exclusions,
  pairs,
  pairs_nb,
  angles,
  dihedrals,
  constraints,
  settles,
  polarization,
  water_polarization,
  thole_polarization,
  system,
  molecules,
  position_restraints,
  angle_restraints,
  angle_restraints_z,
  distance_restraints,
  orientation_restraints,
  dihedral_restraints,
  cmap,
  intermolecular_interactions,
};

constexpr std::size_t kDirectives = static_cast<std::size_t>(Directive::intermolecular_interactions) + 1;

/// The name of a section.
std::string_view name_of(Directive directive);

/// Whether a line is the head of a section: it begins with [.
bool is_section_head(const TopologyLine& line);

/// Enforces the order of sections that GROMACS demands.
class DirectiveOrder {
 public:
  /// Reads the line of a section's head. Upper case, - and _ do not matter. Throws InputError for an unknown name and
  /// for a section that may not stand here.
  Directive read(const TopologyLine& line);

 private:
  bool has_seen(Directive directive) const { return seen_[static_cast<std::size_t>(directive)]; }
  void check(Directive directive, const TopologyLine& line, const TextPlace& place);

  std::bitset<kDirectives> seen_;
};

}  // namespace dropmd::gromacs
