#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "inputs/topologies/gromacs/directives.h"
#include "inputs/topologies/gromacs/molecules/model_assembly.h"
#include "inputs/topologies/gromacs/text/topology_line.h"

namespace dropmd::gromacs {

/// Reads the lines of a topology into its contents, each according to its section.
class TopologySections {
 public:
  /// `most_atoms`: of the whole system. The map and the list must outlive this object.
  TopologySections(const SourceMap& sources, WarningList& warnings, std::size_t most_atoms)
      : sources_(&sources), warnings_(&warnings), most_atoms_(most_atoms) {}

  /// Reads a line: a section's head or one of its lines. Throws InputError.
  void read(const TopologyLine& line);

  /// The line of [ system ].
  const std::string& title() const { return title_; }
  const TopologyContents& contents() const { return contents_; }
  /// Completes the contents after the last line. Throws InputError if [ molecules ] is missing.
  void finish();

 private:
  void begin_section(const TopologyLine& line);
  void read_force_field_line(const TopologyLine& line);
  void read_molecule_line(const TopologyLine& line);
  void read_interaction_line(const TopologyLine& line, MoleculeType& molecule);
  void read_molecules_line(const TopologyLine& line);
  void begin_molecule_type(const TopologyLine& line);
  void begin_between_molecules();
  std::size_t type_named(const TopologyWord& name, const TopologyLine& line) const;
  MoleculeType& current_molecule(const TopologyLine& line);

  const SourceMap* sources_;
  WarningList* warnings_;
  std::size_t most_atoms_;
  DirectiveOrder order_;
  std::optional<Directive> section_;
  bool has_warned_ = false;  ///< that the section is ignored
  std::string title_;
  TopologyContents contents_;
  bool is_in_molecule_ = false;
  NameTable type_names_;  ///< of the molecule types
  /// Molecule types by their names in lower case.
  std::unordered_map<std::string, std::vector<std::size_t>> similar_names_;
  /// All atoms as one molecule type, for [ intermolecular_interactions ].
  std::optional<MoleculeType> whole_system_;
};

}  // namespace dropmd::gromacs
