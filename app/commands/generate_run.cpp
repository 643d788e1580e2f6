#include "app/commands/generate_run.h"

#include <fmt/core.h>

#include <filesystem>
#include <ostream>

#include "app/charges_input.h"
#include "app/json_text.h"
#include "app/shared_options.h"
#include "core/terminal_text.h"
#include "inputs/run_file/commented_run.h"
#include "inputs/structures/structure_file.h"
#include "inputs/text_source.h"
#include "outputs/files/require_free.h"

namespace dropmd {

namespace {

namespace fs = std::filesystem;

/// Returns the path of the structure for a run file in `folder`.
fs::path path_from(const fs::path& folder, const fs::path& structure) {
  if (structure.is_absolute() || folder.empty()) return structure;
  const fs::path relative = fs::relative(structure, folder);
  return relative.empty() ? fs::absolute(structure) : relative;
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
  if (options.has("json") && !to_file) throw UsageError("--json needs -o FILE.toml (standard output has one of them)");
  const fs::path structure_path = files[0], path = to_file ? fs::path(options.text("output")) : fs::path();
  if (to_file && path.extension() != ".toml")
    throw UsageError("-o " + path.string() + ": a run file's name ends in .toml");
  if (as_utf8(structure_path.string()) != structure_path.string())
    throw InputError({structure_path.string()}, "a run file cannot hold this name, which is not UTF-8 (another name)");
  const Structure structure = read_structure_file(structure_path);
  show_warnings(structure.warnings, options, streams);
  const auto units = units_of_structure(options, structure);
  if (!units)
    show_warnings(
        {structure_path.string() + " does not say its units: the run file says real (--units lj for reduced units)"},
        options, streams);
  if (to_file) require_free({path}, {structure_path}, options.has("force"));
  const CommentedRun run =
      commented_run(structure, units.value_or(UnitSystem::real), path_from(path.parent_path(), structure_path));
  write_result(options, streams, run.toml);
  if (!to_file) return ExitStatus::done;
  if (options.has("json"))
    streams.out << json_text(Json::Object{{"file", path.string()},
                                          {"n_atoms", structure.position.size()},
                                          {"units", units_of(units.value_or(UnitSystem::real)).name},
                                          {"fill_in", names_json(run.to_fill_in)}});
  else if (!options.has("quiet"))
    streams.out << fmt::format("wrote {}: a run of {} atoms\n{}", without_commands(path.string()),
                               structure.position.size(), fill_in_text(run.to_fill_in));
  return ExitStatus::done;
}

}  // namespace dropmd
