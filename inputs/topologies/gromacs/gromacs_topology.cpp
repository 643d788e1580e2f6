#include "inputs/topologies/gromacs/gromacs_topology.h"

#include <fmt/core.h>

#include "inputs/text_source.h"
#include "inputs/topologies/gromacs/molecules/model_assembly.h"
#include "inputs/topologies/gromacs/text/preprocessor.h"
#include "inputs/topologies/gromacs/topology_sections.h"

namespace dropmd {

MolecularModel read_gromacs_topology(const std::filesystem::path& path, const GromacsOptions& options) {
  gromacs::Preprocessor preprocessor(path, options);
  const gromacs::SourceMap& sources = preprocessor.sources();
  gromacs::WarningList warnings(sources);
  gromacs::TopologySections sections(sources, warnings, options.most_atoms);
  gromacs::TopologyLine line(sources);
  while (preprocessor.next_line(line)) sections.read(line);
  sections.finish();

  MolecularModel model;
  model.file = path.string();
  model.title = sections.title();
  gromacs::assemble(sections.contents(), options.most_atoms, sources, model);
  for (const std::string& name : preprocessor.unused_defines())
    warnings.add(fmt::format("{}: nothing in the topology uses the definition {}", model.file, in_quotes(name)));
  model.warnings = warnings.take();
  return model;
}

std::vector<std::filesystem::path> files_of_gromacs_topology(const std::filesystem::path& path,
                                                             const GromacsOptions& options) {
  if (!std::filesystem::exists(path)) return {path};
  gromacs::Preprocessor preprocessor(path, options);
  gromacs::TopologyLine line(preprocessor.sources());
  try {
    while (preprocessor.next_line(line)) continue;
  } catch (const InputError&) {
    // Whoever reads the topology reports it.
  }
  const std::vector<std::string> names = preprocessor.sources().files();
  return {names.begin(), names.end()};
}

}  // namespace dropmd
