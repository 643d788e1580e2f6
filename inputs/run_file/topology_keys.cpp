#include "inputs/run_file/topology_keys.h"

#include <fmt/core.h>

#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "inputs/run_file/choice_words.h"
#include "inputs/run_file/number_tables.h"
#include "inputs/topologies/topology_file.h"

namespace dropmd {
namespace {

void require_topology(SectionReader& section, const RunConfig& config, std::string_view key) {
  if (config.topology.given() || !section.has(key)) return;
  section.mistake(section.place_of(key), fmt::format("{} without a topology (give topology = \"FILE\" in [system]: {})",
                                                     section.name_of(key), topology_extensions()));
}

/// Counts a misspelt `topology`, which is reported as an unknown key, as a topology, so that what is right with a
/// topology is not reported as well.
void take_misspelt_topology(SectionReader& section, TopologySettings& topology) {
  const TomlEntry* const meant = section.misspelt("topology");
  if (topology.given() || meant == nullptr) return;
  topology.file = meant->key;
  topology.place = meant->key_place;
}

bool says_lj(const TomlDocument& document) {
  const TomlEntry* const units = find_entry(document.top, "units");
  const auto* const word = units == nullptr ? nullptr : std::get_if<std::string>(&units->value);
  return word != nullptr && *word == word_of_value(kUnitWords, UnitSystem::lj);
}

/// Returns the place of the key that asks for a mesh for Coulomb terms.
SourcePlace place_of_mesh(const TomlDocument& document, const CoulombSettings& coulomb) {
  const TomlSection* const section = find_section(document, "coulomb");
  return find_entry(*section, coulomb.method == CoulombMethod::mesh ? "method" : "accuracy")->value_place;
}

}  // namespace

void read_topology_keys(SectionReader& section, RunConfig& config) {
  TopologySettings& topology = config.topology;
  if (const std::optional<std::string> file = section.text("topology")) {
    topology.file = config.file.parent_path() / *file;
    topology.place = section.find("topology")->value_place;
    if (!has_topology_format(topology.file))
      section.mistake(topology.place, fmt::format("no topology format has the extension of {} {}", in_quotes(*file),
                                                  topology_format_remedy(topology.file)));
  }
  for (const std::string& folder : section.text_list("include").value_or(std::vector<std::string>()))
    topology.include.push_back(config.file.parent_path() / folder);
  topology.define = section.text_list("define").value_or(std::vector<std::string>());
  for (const std::string& define : topology.define)
    if (const std::string name = define.substr(0, define.find('='));
        name.empty() || name.find_first_of(" \t\r\n") != std::string::npos)
      section.mistake(section.place_of("define"),
                      fmt::format("{} in {} does not name a macro (write \"NAME\" or \"NAME=VALUE\")",
                                  in_quotes(define), section.name_of("define")));
  section.numbers(kTopologyNumbers, topology);
  topology.hydrogen_mass_place = section.place_of("hydrogen-mass");
  take_misspelt_topology(section, topology);
  for (const std::string_view key : {"include", "define", "hydrogen-mass"}) require_topology(section, config, key);
}

void read_constraints_section(const TomlDocument& document, MistakeList& mistakes, RunConfig& config) {
  const TomlSection* const toml = find_section(document, "constraints");
  if (toml == nullptr) return;
  SectionReader section(*toml, mistakes);
  config.topology.bonds = section.choice("bonds", kBondConstraintWords).value_or(config.topology.bonds);
  require_topology(section, config, "bonds");
  section.report_unknown_keys();
}

void check_beside_topology(const TomlDocument& document, MistakeList& mistakes, const RunConfig& config) {
  if (!config.topology.given()) return;
  if (says_lj(document))
    mistakes.add(config.topology.place,
                 "a topology cannot be combined with units = \"lj\" (set units = \"real\", the units of topologies)");
  const auto refuse = [&](const TomlSection* section, std::string_view key) {
    if (section == nullptr) return;
    for (const TomlEntry& entry : section->entries)
      if (entry.key == key)
        mistakes.add(entry.key_place,
                     fmt::format("'{}' in [{}] cannot be combined with a topology, which has it (leave it out)", key,
                                 section->name));
  };
  refuse(find_section(document, "system"), "mass");
  for (const std::string_view key : {"epsilon", "sigma", "r-min", "mixing"})
    refuse(find_section(document, "lennard-jones"), key);
  if (const TomlSection* const born_mayer = find_section(document, "born-mayer"))
    mistakes.add(born_mayer->place,
                 "[born-mayer] cannot be combined with a topology, which has Lennard-Jones parameters (leave it out)");
  for (const TomlSection& item : document.list_items)
    if (item.name == "species" || item.name == "pair")
      mistakes.add(
          item.place,
          fmt::format("[[{}]] cannot be combined with a topology, which has its parameters (leave it out)", item.name));
  const CoulombSettings& coulomb = config.coulomb_settings;
  const bool may_have_mesh = coulomb.method == CoulombMethod::mesh || coulomb.accuracy;
  if (may_have_mesh && config.lennard_jones && config.lennard_jones->treatment.form == "none")
    mistakes.add(place_of_mesh(document, coulomb),
                 "a mesh for Coulomb terms cannot be combined with van der Waals terms without a cutoff (set one in "
                 "[lennard-jones], such as cutoff = 12.0)");
}

}  // namespace dropmd
