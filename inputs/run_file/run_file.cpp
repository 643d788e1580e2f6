#include "inputs/run_file/run_file.h"

#include <fmt/core.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "core/alternatives.h"
#include "core/run/missing_library.h"
#include "inputs/run_file/choice_words.h"
#include "inputs/run_file/form_reader.h"
#include "inputs/run_file/known_sections.h"
#include "inputs/run_file/outer_step_rules.h"
#include "inputs/run_file/section_reader.h"
#include "inputs/run_file/sections/coulomb_section.h"
#include "inputs/run_file/sections/map_section.h"
#include "inputs/run_file/sections/output_name.h"
#include "inputs/run_file/sections/van_der_waals_sections.h"
#include "inputs/run_file/topology_keys.h"
#include "inputs/structures/structure_file.h"
#include "inputs/text_source.h"

namespace dropmd {
namespace {

namespace fs = std::filesystem;

/// Returns the section, or one without keys if it is left out.
TomlSection section_or_empty(const TomlDocument& document, std::string_view name) {
  const TomlSection* const section = find_section(document, name);
  return section != nullptr ? *section : TomlSection{std::string(name), document.top.place};
}

void read_top(const TomlDocument& document, MistakeList& mistakes, RunConfig& config) {
  SectionReader top(document.top, mistakes);
  config.title = top.text("title").value_or("");
  if (!top.has("units")) top.missing("units", "units = \"real\" or units = \"lj\"");
  config.units = top.choice("units", kUnitWords).value_or(config.units);
}

void read_system(const TomlDocument& document, MistakeList& mistakes, RunConfig& config) {
  const TomlSection toml = section_or_empty(document, "system");
  SectionReader section(toml, mistakes);
  config.system_place = toml.place;
  if (!section.has("structure")) section.missing("structure", "structure = \"FILE\", relative to the run file");
  if (const std::optional<std::string> structure = section.text("structure")) {
    config.structure = config.file.parent_path() / *structure;
    config.structure_place = section.find("structure")->value_place;
    if (!has_structure_format(config.structure))
      section.mistake(config.structure_place, fmt::format("no structure format has the extension of {} (known: {})",
                                                          in_quotes(*structure), structure_extensions()));
  }
  section.numbers(kSystemNumbers, config);
  read_topology_keys(section, config);
  section.report_unknown_keys();
}

/// Returns nullopt without the section or with the form "none": the run has no such term.
std::optional<FormChoice> read_optional_form(const TomlDocument& document, std::string_view name, const FormList& forms,
                                             UnitSystem units, MistakeList& mistakes) {
  const TomlSection* const toml = find_section(document, name);
  if (toml == nullptr) return std::nullopt;
  SectionReader section(*toml, mistakes);
  std::optional<FormChoice> choice =
      read_form(section, forms, units, {.form_if_left_out = forms.front().name, .none_allowed = true});
  section.report_unknown_keys();
  return choice;
}

void read_fields(const TomlDocument& document, const FormCatalog& catalog, MistakeList& mistakes, RunConfig& config) {
  for (const auto& [name, forms] : catalog.fields) {
    if (const TomlSection* const section = find_section(document, name))
      config.field_places[std::string(name)] = section->place;
    if (auto choice = read_optional_form(document, name, forms, config.units, mistakes))
      config.fields.emplace(name, std::move(*choice));
  }
}

void read_neighbor(const TomlDocument& document, MistakeList& mistakes, RunConfig& config) {
  const TomlSection toml = section_or_empty(document, "neighbor");
  SectionReader section(toml, mistakes);
  config.neighbor = section.choice("method", kNeighborWords).value_or(config.neighbor);
  if (const TomlEntry* const method = section.find("method")) config.neighbor_place = method->value_place;
  const TomlEntry* const skin = section.find("skin");
  const auto* const word = skin == nullptr ? nullptr : std::get_if<std::string>(&skin->value);
  if (word == nullptr)
    section.numbers(kNeighborNumbers, config);
  else if (*word != "auto")
    section.unknown_word("skin", *word, {"auto", "a length"});
  config.tune = section.boolean("tune").value_or(config.tune);
  section.report_unknown_keys();
}

void read_engine(const TomlDocument& document, MistakeList& mistakes, RunConfig& config) {
  const TomlSection toml = section_or_empty(document, "engine");
  SectionReader section(toml, mistakes);
  config.backend = section.choice("backend", kBackendWords).value_or(config.backend);
  config.precision = section.choice("precision", kPrecisionWords).value_or(config.precision);
  section.numbers(kEngineNumbers, config);
  section.report_unknown_keys();
}

void read_integrator(const TomlDocument& document, const FormList& forms, MistakeList& mistakes, RunConfig& config) {
  const TomlSection toml = section_or_empty(document, "integrator");
  SectionReader section(toml, mistakes);
  if (const std::optional<FormChoice> choice =
          read_form(section, forms, config.units, {.form_if_left_out = forms.front().name}))
    config.integrator = *choice;
  if (const std::optional<std::string> word = section.text("applies-to")) {
    config.applies_to = *word;
    config.applies_to_place = section.find("applies-to")->value_place;
  }
  section.report_unknown_keys();
}

/// Reports `applies-to` for a part of the atoms if the integrator has no bath, and keys that refer to the droplet if
/// clusters are not labelled.
void check_groups(const TomlDocument& document, const FormList& integrators, MistakeList& mistakes,
                  const RunConfig& config) {
  const auto chosen = std::find_if(integrators.begin(), integrators.end(),
                                   [&](const FormInfo& form) { return form.name == config.integrator.form; });
  const bool has_bath = chosen != integrators.end() && is_bath(*chosen);
  const auto report = [&](std::string_view in, std::string_view key, const std::string& what) {
    const TomlSection toml = section_or_empty(document, in);
    SectionReader section(toml, mistakes);
    if (section.has(key)) section.mistake(section.find(key)->value_place, section.name_of(key) + what);
  };
  if (!has_bath && config.bath_acts_on_part())
    report("integrator", "applies-to",
           fmt::format(" needs a bath, but form is \"{}\" (langevin and csvr have one)", config.integrator.form));
  constexpr std::string_view kNeedsLabels =
      " is \"{}\" without labels of clusters (add a section [droplet], which may be empty)";
  if (config.droplet) return;
  if (config.applies_to == kDropletAtoms || config.applies_to == kVapourAtoms)
    report("integrator", "applies-to", fmt::format(fmt::runtime(kNeedsLabels), config.applies_to));
  if (config.recenter == Recenter::droplet)
    report("run", "recenter", fmt::format(fmt::runtime(kNeedsLabels), "droplet"));
}

void read_run(const TomlDocument& document, MistakeList& mistakes, RunConfig& config) {
  const TomlSection toml = section_or_empty(document, "run");
  SectionReader section(toml, mistakes);
  section.numbers(kRunNumbers, config);
  config.recenter = section.choice("recenter", kRecenterWords);
  config.remove_momentum = section.choice("remove-momentum", kRemoveMomentumWords).value_or(config.remove_momentum);
  section.report_unknown_keys();
}

/// Surface tensions are in N/m, which units lj do not have.
void read_droplet(const TomlDocument& document, MistakeList& mistakes, RunConfig& config) {
  const TomlSection* const toml = find_section(document, "droplet");
  if (toml == nullptr) return;
  SectionReader section(*toml, mistakes);
  config.droplet.emplace();
  section.numbers(kDropletNumbers, *config.droplet);
  if (config.droplet->surface_tension && config.units == UnitSystem::lj)
    section.mistake(section.find("surface-tension")->key_place,
                    fmt::format("{} is in N/m, but units are lj (leave it out, or set units = \"real\")",
                                section.name_of("surface-tension")));
  constexpr double kMostTension = 1;  // N/m; liquid metals have up to 2, and water has 0.07
  if (config.droplet->surface_tension > kMostTension)
    config.warnings.push_back(
        section.find("surface-tension")
            ->value_place.with(fmt::format("{} is {:g} N/m, which is more than liquids have (1 mN/m is 0.001 N/m)",
                                           section.name_of("surface-tension"), *config.droplet->surface_tension)));
  const DropletSettings& droplet = *config.droplet;
  if (section.has("profile-every") && droplet.every > 0 && droplet.profile_every % droplet.every != 0)
    section.mistake(section.find("profile-every")->value_place,
                    fmt::format("{} is {} (it must be a multiple of 'every', {}, the steps between labels)",
                                section.name_of("profile-every"), droplet.profile_every, droplet.every));
  section.report_unknown_keys();
}

void read_trajectory_file(SectionReader& section, const FormCatalog& catalog, RunConfig& config) {
  const std::optional<std::string> name = section.text("trajectory");
  if (!name) return;
  config.trajectory_file = *name;
  check_output_name(section, "trajectory", *name, catalog.trajectories);
}

void read_final_file(SectionReader& section, const FormCatalog& catalog, RunConfig& config) {
  const std::optional<std::string> name = section.text("final");
  if (!name) {
    if (config.topology.given()) config.final_file = kFinalOfMolecules;
    if (config.final_file == config.trajectory_file && section.has("trajectory"))
      section.mistake(section.find("trajectory")->value_place,
                      fmt::format("{} is {}, the name of the final structure (choose another name, or another 'final')",
                                  section.name_of("trajectory"), in_quotes(config.trajectory_file)));
    return;
  }
  config.final_file = *name;
  if (name->empty()) return;
  if (*name == config.trajectory_file)
    section.mistake(section.find("final")->value_place,
                    fmt::format("{} is the trajectory's own name (choose another name, such as \"final.xyz\")",
                                section.name_of("final")));
  else
    check_output_name(section, "final", *name, catalog.written_structures);
}

void read_output(const TomlDocument& document, const FormCatalog& catalog, MistakeList& mistakes, RunConfig& config) {
  const TomlSection toml = section_or_empty(document, "output");
  SectionReader section(toml, mistakes);
  config.output_directory = section.text("directory").value_or("out");
  if (config.output_directory.empty())
    section.mistake(
        section.find("directory")->value_place,
        fmt::format("{} is empty (give a folder, \".\" for the working directory)", section.name_of("directory")));
  section.numbers(kOutputNumbers, config);
  read_trajectory_file(section, catalog, config);
  read_final_file(section, catalog, config);
  section.report_unknown_keys();
}

/// A run without interactions is allowed, but seldom intended.
void warn_without_interactions(RunConfig& config) {
  if (!config.lennard_jones && !config.born_mayer && !config.coulomb && !config.topology.given())
    config.warnings.push_back(config.file.string() +
                              ": there is neither [lennard-jones] nor [coulomb], so the atoms do not interact");
}

}  // namespace

RunConfig read_run_file(const fs::path& path, const FormCatalog& catalog, std::span<const Setting> settings) {
  return parse_run_file(read_text_source(path, "a run file"), path, catalog, settings);
}

RunConfig parse_run_file(const TextSource& source, const fs::path& path, const FormCatalog& catalog,
                         std::span<const Setting> settings) {
  TomlDocument document = parse_toml(source);
  apply_settings(settings, catalog, document);
  MistakeList mistakes;
  RunConfig config;
  config.file = path;
  read_top(document, mistakes, config);
  read_system(document, mistakes, config);
  read_van_der_waals_sections(document, catalog, mistakes, config);
  read_coulomb_section(document, catalog.coulomb, mistakes, config);
  read_fields(document, catalog, mistakes, config);
  read_constraints_section(document, mistakes, config);
  read_neighbor(document, mistakes, config);
  read_engine(document, mistakes, config);
  read_integrator(document, catalog.integrator, mistakes, config);
  read_run(document, mistakes, config);
  read_droplet(document, mistakes, config);
  check_groups(document, catalog.integrator, mistakes, config);
  read_output(document, catalog, mistakes, config);
  if (const TomlSection* const map = find_section(document, "map"))
    config.map = read_map_section(*map, catalog, config.units, config.trajectory_file, mistakes);
  report_unknown_sections(document, catalog, mistakes);
  check_outer_steps(document, catalog, mistakes, config);
  check_beside_topology(document, mistakes, config);
  mistakes.throw_if_any();
  warn_without_interactions(config);
  return config;
}

}  // namespace dropmd
