#include "engine/model/origins.h"

#include <fmt/core.h>

#include <algorithm>
#include <numeric>
#include <optional>

#include "engine/degrees_of_freedom.h"
#include "engine/molecules/molecules.h"
#include "engine/thermometer.h"
#include "inputs/run_file/run_config.h"
#include "inputs/structures/structure.h"

namespace dropmd {

namespace {

/// Returns a value of [[species]] for each species of the structure.
std::vector<std::optional<double>> of_species(const RunConfig& config, const Structure& structure,
                                              std::optional<double> SpeciesConfig::*member) {
  std::vector<std::optional<double>> values(structure.species_names.size());
  for (std::size_t k = 0; k < values.size(); ++k)
    for (const SpeciesConfig& entry : config.species)
      if (entry.name == structure.species_names[k]) values[k] = entry.*member;
  return values;
}

/// Returns whether the run file gives any atom another value than the structure. `otherwise`: for species without a
/// value.
bool differ(const Structure& structure, const std::vector<double>& given,
            const std::vector<std::optional<double>>& of_species, std::optional<double> otherwise) {
  for (std::size_t i = 0; i < given.size(); ++i) {
    const std::optional<double>& own = of_species[structure.species[i]];
    const std::optional<double>& run = own ? own : otherwise;
    if (run && *run != given[i]) return true;
  }
  return false;
}

std::string range_text(const std::vector<double>& values, std::string_view unit) {
  const auto [low, high] = std::minmax_element(values.begin(), values.end());
  return *low == *high ? fmt::format("{:g} {}", *low, unit) : fmt::format("{:g} to {:g} {}", *low, *high, unit);
}

/// Returns the origin of masses that the structure does not give.
std::string origin_of_masses(const RunConfig& config, const Structure& structure) {
  const auto species = of_species(config, structure, &SpeciesConfig::mass);
  const auto n_given = std::count_if(species.begin(), species.end(), [](const auto& mass) { return mass.has_value(); });
  std::string rest = config.mass ? "[system]" : "the default of units lj";
  if (n_given == 0) return rest;
  return n_given == std::ssize(species) ? "[[species]]" : "[[species]] and " + rest;
}

std::string origin_of_charges(const RunConfig& config, const Structure& structure) {
  const auto species = of_species(config, structure, &SpeciesConfig::charge);
  const bool any = std::any_of(species.begin(), species.end(), [](const auto& charge) { return charge.has_value(); });
  return any ? "[[species]]" : "the default: neither the structure nor [[species]] gives any";
}

std::string velocities_text(const RunConfig& config, const Structure& structure, const System& system) {
  const Particles& p = system.particles;
  if (!structure.velocity.empty() || !structure.momentum.empty()) {
    const double kinetic = kinetic_energy(Cpu{}, p.mass, p.velocity, system.units);
    return fmt::format("temperature {:.4g} {}, from the structure's {}",
                       temperature_of(kinetic, degrees_before_removal(system), system.units), system.units.temperature,
                       structure.velocity.empty() ? "momenta" : "velocities");
  }
  if (config.temperature && *config.temperature > 0)
    return fmt::format("drawn at {:g} {}, from [system]", *config.temperature, system.units.temperature);
  return "zero: neither the structure nor 'temperature' in [system] gives any";
}

}  // namespace

std::vector<std::string> overridden_values(const RunConfig& config, const Structure& structure) {
  std::vector<std::string> warnings;
  if (config.file == config.structure) return warnings;  // a bare structure: there is no run file
  const std::string from = structure.file.empty() ? "that were given" : "of the structure, " + structure.file;
  const auto warn = [&](std::string_view what, std::string_view key) {
    warnings.push_back(fmt::format("the {} are those {}: {} in {} is not used", what, from, key, config.file.string()));
  };
  if (differ(structure, structure.mass, of_species(config, structure, &SpeciesConfig::mass), config.mass))
    warn("masses", "'mass'");
  if (differ(structure, structure.charge, of_species(config, structure, &SpeciesConfig::charge), std::nullopt))
    warn("charges", "'charge'");
  if (config.temperature && !(structure.velocity.empty() && structure.momentum.empty()))
    warn("initial velocities", "'temperature' of [system]");
  return warnings;
}

std::string values_in_effect(const RunConfig& config, const Structure& structure, const System& system) {
  const Particles& p = system.particles;
  const double net = std::accumulate(p.charge.begin(), p.charge.end(), 0.0);
  std::string text = fmt::format(
      "# in effect\n# units:      {}, from the run file{}\n# masses:     {}, from {}\n# charges:    {}, sum {:.6g}, "
      "from "
      "{}\n# velocities: {}\n",
      system.units.name, structure.units ? " and the structure" : "", range_text(p.mass, system.units.mass),
      system.molecules         ? "the topology"
      : structure.mass.empty() ? origin_of_masses(config, structure)
                               : "the structure",
      range_text(p.charge, system.units.charge), net,
      system.molecules           ? "the topology"
      : structure.charge.empty() ? origin_of_charges(config, structure)
                                 : "the structure",
      velocities_text(config, structure, system));
  if (system.molecules) text += "# molecules:  " + describe_molecules(system) + '\n';
  if (const std::optional<FormChoice> wall = choice_of(system.fields, "wall"))
    text += fmt::format("# wall:       radius {:g} {}, from {}\n", wall->at("radius"), system.units.length,
                        config.fields.at("wall").has("radius") ? "[wall]" : "the structure");
  return text;
}

}  // namespace dropmd
