#include "inputs/run_file/topology_keys.h"

#include <fmt/core.h>

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "inputs/run_file/choice_words.h"
#include "inputs/run_file/number_tables.h"
#include "inputs/topologies/topology_file.h"

namespace dropmd {
namespace {

void require_topology(SectionReader& section, const RunConfig& config, std::string_view key) {
  if (config.topology.given() || !section.has(key)) return;
  section.mistake(section.place_of(key), fmt::format("{} without a topology (topology = \"FILE\" in [system]: {})",
                                                     section.name_of(key), topology_extensions()));
}

}  // namespace

void read_topology_keys(SectionReader& section, RunConfig& config) {
  TopologySettings& topology = config.topology;
  if (const std::optional<std::string> file = section.text("topology")) {
    topology.file = config.file.parent_path() / *file;
    topology.place = section.find("topology")->value_place;
    if (!has_topology_format(topology.file))
      section.mistake(topology.place, fmt::format("no topology format has the extension of {} (known: {})",
                                                  in_quotes(*file), topology_extensions()));
  }
  for (const std::string& folder : section.text_list("include").value_or(std::vector<std::string>()))
    topology.include.push_back(config.file.parent_path() / folder);
  topology.define = section.text_list("define").value_or(std::vector<std::string>());
  section.numbers(kTopologyNumbers, topology);
  topology.hydrogen_mass_place = section.place_of("hydrogen-mass");
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
  if (config.units != UnitSystem::real)
    mistakes.add(config.topology.place, "a topology beside units = \"lj\" (units = \"real\": topologies are in them)");
  const auto refuse = [&](const TomlSection* section, std::string_view key) {
    if (section == nullptr) return;
    for (const TomlEntry& entry : section->entries)
      if (entry.key == key)
        mistakes.add(entry.key_place,
                     fmt::format("'{}' in [{}] beside a topology, which has it (leave it out)", key, section->name));
  };
  refuse(find_section(document, "system"), "mass");
  for (const std::string_view key : {"epsilon", "sigma", "r-min", "mixing"})
    refuse(find_section(document, "lennard-jones"), key);
  if (const TomlSection* const born_mayer = find_section(document, "born-mayer"))
    mistakes.add(born_mayer->place,
                 "[born-mayer] beside a topology, which has Lennard-Jones parameters (leave it out)");
  for (const TomlSection& item : document.list_items)
    if (item.name == "species" || item.name == "pair")
      mistakes.add(item.place,
                   fmt::format("[[{}]] beside a topology, which has its parameters (leave it out)", item.name));
  const CoulombSettings& coulomb = config.coulomb_settings;
  const bool may_have_mesh = coulomb.method == CoulombMethod::mesh || coulomb.accuracy;
  if (may_have_mesh && config.lennard_jones && config.lennard_jones->treatment.form == "none")
    mistakes.add(config.topology.place,
                 "van der Waals terms without a cutoff beside a mesh for Coulomb terms (a cutoff in [lennard-jones], "
                 "such as cutoff = 12.0)");
}

}  // namespace dropmd
