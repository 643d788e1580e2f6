#include "app/commands/generate_run.h"

#include <fmt/core.h>

#include <algorithm>
#include <cstddef>
#include <filesystem>
#include <optional>
#include <ostream>
#include <system_error>

#include "app/charges_input.h"
#include "app/json_text.h"
#include "app/shared_options.h"
#include "core/terminal_text.h"
#include "engine/molecules/hydrogens.h"
#include "engine/molecules/molecules.h"
#include "inputs/nearest_word.h"
#include "inputs/run_file/commented_run.h"
#include "inputs/run_file/run_config.h"
#include "inputs/structures/structure_file.h"
#include "inputs/text_source.h"
#include "inputs/topologies/topology_file.h"
#include "outputs/files/require_free.h"

namespace dropmd {

namespace {

namespace fs = std::filesystem;

/// Returns the path of a file as a run file in `folder` is to give it.
fs::path path_from(const fs::path& folder, const fs::path& file) {
  if (file.is_absolute() || folder.empty()) return file;
  const fs::path relative = fs::relative(file, folder);
  return relative.empty() ? fs::absolute(file) : relative;
}

/// Returns the path of the topology: that of --topology, or of the same name with .top beside the structure; empty if
/// there is none. Droplet files have no molecules.
fs::path topology_of(const GivenOptions& options, const fs::path& structure) {
  if (!options.has("topology")) {
    const fs::path beside = fs::path(structure).replace_extension(".top");
    return structure.extension() != ".drop" && fs::is_regular_file(beside) ? beside : fs::path();
  }
  fs::path given = options.text("topology");
  if (!has_topology_format(given))
    throw UsageError("--topology " + given.string() + ": no topology format has this extension " +
                     topology_format_remedy(given));
  return given;
}

/// Whether an atom's name differs from that of its residue, as in molecules.
bool has_molecules(const Structure& structure) {
  const bool has_names = !structure.residue_name.empty() && !structure.atom_name.empty();
  return has_names && structure.residue_name != structure.atom_name;
}

/// Returns the topologies in the folder of a structure, for a message: "; in its folder: a.top, b.xml".
std::string topologies_beside(const fs::path& structure) {
  std::vector<std::string> names;
  std::error_code ignored;
  for (const fs::directory_entry& entry : fs::directory_iterator(structure.parent_path() / ".", ignored))
    if (has_topology_format(entry.path())) names.push_back(entry.path().filename().string());
  std::sort(names.begin(), names.end());
  return names.empty() ? "" : "; in its folder: " + joined({names.begin(), names.end()});
}

/// Returns the settings of a topology that the options name.
TopologySettings topology_settings(const GivenOptions& options, const fs::path& file) {
  TopologySettings settings;
  settings.file = file;
  for (const std::string& folder : options.list("include")) settings.include.emplace_back(folder);
  settings.define = options.list("define");
  if (!settings.given() && !(settings.include.empty() && settings.define.empty()))
    throw UsageError("--include and --define are of no use without a topology (--topology FILE)");
  return settings;
}

/// Reads the topology, which must fit the structure, and gives the structure its masses and charges. Returns whether
/// bonds to hydrogen are flexible.
bool has_flexible_hydrogens(const TopologySettings& topology, Structure& structure) {
  RunConfig config;
  config.topology = topology;
  MolecularModel model = *read_molecules(config, structure);
  const std::size_t n_constraints = model.topology.constraints.size();
  constrain_hydrogen_bonds(model);
  return model.topology.constraints.size() > n_constraints;
}

void require_utf8(const fs::path& path) {
  if (as_utf8(path.string()) != path.string())
    throw InputError({path.string()}, "a run file cannot hold this name, which is not UTF-8 (choose another name)");
}

Json names_json(const std::vector<std::string>& names) {
  Json::List list;
  for (const std::string& name : names) list.emplace_back(name);
  return list;
}

std::string fill_in_text(const std::vector<std::string>& names) {
  std::string text;
  for (const std::string& name : names) text += fmt::format("  fill in: {}\n", without_commands(name));
  return text;
}

}  // namespace

ExitStatus generate_run(const GivenOptions& options, const std::vector<std::string>& files, Streams& streams) {
  if (files.size() != 1)
    throw UsageError("generate run takes one structure (dropmd generate run STRUCTURE -o FILE.toml)");
  const bool to_file = options.has("output");
  if (options.has("json") && !to_file)
    throw UsageError("--json needs -o FILE.toml (standard output can have only one of them)");
  const fs::path structure_path = files[0], path = to_file ? fs::path(options.text("output")) : fs::path();
  if (to_file && path.extension() != ".toml")
    throw UsageError("-o " + path.string() + ": a run file's name ends in .toml");
  require_utf8(structure_path);
  Structure structure = read_structure_file(structure_path);
  const TopologySettings topology = topology_settings(options, topology_of(options, structure_path));
  const fs::path folder = path.parent_path();
  const auto units = units_of_structure(options, structure);
  std::optional<CommentedMolecules> molecules;
  if (topology.given()) {
    require_utf8(topology.file);
    if (units == UnitSystem::lj)
      throw InputError({structure_path.string()}, "units lj cannot be combined with the topology " +
                                                      topology.file.string() + ", whose units are real");
    molecules = CommentedMolecules{topology, has_flexible_hydrogens(topology, structure)};
    molecules->topology.file = path_from(folder, topology.file);
    for (fs::path& include : molecules->topology.include) include = path_from(folder, include);
  }
  show_warnings(structure.warnings, options, streams);
  if (!units && !molecules)
    show_warnings(
        {structure_path.string() + " does not state its units: the run file says real (--units lj for reduced units)"},
        options, streams);
  if (!molecules && has_molecules(structure))
    show_warnings({structure_path.string() +
                   " has molecules, but there is no topology: in the run file every atom is an element by its name, "
                   "without bonds, and CA is calcium (--topology FILE" +
                   topologies_beside(structure_path) + ")"},
                  options, streams);
  if (to_file) require_free({path}, {structure_path}, options.has("force"));
  const CommentedRun run =
      commented_run(structure, units.value_or(UnitSystem::real), path_from(folder, structure_path), molecules);
  write_result(options, streams, run.toml);
  if (!to_file) return ExitStatus::done;
  if (options.has("json")) {
    Json::Object json{{"file", path.string()},
                      {"n_atoms", structure.position.size()},
                      {"units", units_of(units.value_or(UnitSystem::real)).name},
                      {"fill_in", names_json(run.to_fill_in)}};
    if (molecules) json.push_back({"topology", topology.file.string()});
    streams.out << json_text(json);
  } else if (!options.has("quiet")) {
    streams.out << fmt::format("wrote {}: a run of {} atoms{}\n{}", without_commands(path.string()),
                               structure.position.size(),
                               molecules ? " with the topology " + without_commands(topology.file.string()) : "",
                               fill_in_text(run.to_fill_in));
  }
  return ExitStatus::done;
}

}  // namespace dropmd
