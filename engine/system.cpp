#include "engine/system.h"

#include <algorithm>
#include <cmath>

#include "engine/initial_velocities.h"

namespace dropmd {

namespace {

[[noreturn]] void fail(const RunConfig& config, const std::string& message) {
  throw InputError(SourcePlace{config.file.string()}, message);
}

const SpeciesConfig* find_species(const RunConfig& config, const std::string& name) {
  const auto it = std::find_if(config.species.begin(), config.species.end(),
                               [&](const SpeciesConfig& s) { return s.name == name; });
  return it == config.species.end() ? nullptr : &*it;
}

/// The [[species]] entry of each species of the structure; empty if the run file lists none.
std::vector<const SpeciesConfig*> species_entries(const RunConfig& config, const Structure& structure) {
  std::vector<const SpeciesConfig*> entries;
  if (config.species.empty()) return entries;
  for (const std::string& name : structure.species_names) {
    const SpeciesConfig* entry = find_species(config, name);
    if (entry == nullptr) {
      std::string known;
      for (const SpeciesConfig& s : config.species) known += (known.empty() ? "" : ", ") + s.name;
      fail(config, "the structure has a species '" + name + "' without [[species]] entry (there are entries for " +
                       known + ")");
    }
    entries.push_back(entry);
  }
  return entries;
}

/// σ and ε of two species: the explicit [[pair]], else the mixing rule.
LjParameters mixed(const RunConfig& config, const SpeciesConfig& a, const SpeciesConfig& b) {
  for (const PairConfig& pair : config.pairs)
    if ((pair.first == a.name && pair.second == b.name) || (pair.first == b.name && pair.second == a.name))
      return {pair.epsilon, pair.sigma};
  const double epsilon = std::sqrt(a.epsilon * b.epsilon);
  const bool geometric = config.lennard_jones->mixing == Mixing::geometric;
  return {epsilon, geometric ? std::sqrt(a.sigma * b.sigma) : 0.5 * (a.sigma + b.sigma)};
}

PairModel build_model(const RunConfig& config, const Units& units, const std::vector<const SpeciesConfig*>& entries) {
  PairModel model;
  model.coulomb = config.coulomb;
  model.coulomb_constant = units.coulomb;
  if (!config.lennard_jones) return model;
  model.lj = config.lennard_jones->treatment;
  if (entries.empty()) {  // all atoms alike
    model.lj_parameters = {{config.lennard_jones->epsilon.value_or(0), config.lennard_jones->sigma.value_or(1)}};
    return model;
  }
  model.n_species = entries.size();
  for (const SpeciesConfig* a : entries)
    for (const SpeciesConfig* b : entries) model.lj_parameters.push_back(mixed(config, *a, *b));
  return model;
}

/// Per-atom values: the structure's, else each species', else `otherwise`; a missing value ends in an error.
std::vector<double> per_atom(const RunConfig& config, const Structure& structure, const std::vector<double>& given,
                             const std::vector<const SpeciesConfig*>& entries,
                             std::optional<double> SpeciesConfig::*member, std::optional<double> otherwise,
                             const std::string& missing) {
  if (!given.empty()) return given;
  std::vector<double> values(structure.position.size());
  for (std::size_t i = 0; i < values.size(); ++i) {
    std::optional<double> value = entries.empty() ? std::nullopt : entries[structure.species[i]]->*member;
    if (!value) value = otherwise;
    if (!value) fail(config, missing);
    values[i] = *value;
  }
  return values;
}

std::optional<FormChoice> wall_with_radius(const RunConfig& config, const Structure& structure) {
  std::optional<FormChoice> wall = config.wall;
  if (!wall || wall->has("radius")) return wall;
  if (!structure.radius)
    fail(config, "[wall] needs a radius: the structure gives none (add 'radius = ...' to [wall], or form = \"none\")");
  wall->values["radius"] = *structure.radius;
  return wall;
}

}  // namespace

System build_system(const RunConfig& config, const Structure& structure) {
  System system;
  system.units = units_of(config.units);
  system.title = config.title.empty() ? structure.title : config.title;
  system.radius = structure.radius;
  system.wall = wall_with_radius(config, structure);

  const auto entries = species_entries(config, structure);
  system.model = build_model(config, system.units, entries);

  Particles& p = system.particles;
  const std::size_t n = structure.position.size();
  p.position = structure.position;
  p.species_names = structure.species_names;
  p.species = structure.species;
  std::optional<double> default_mass = config.mass;
  if (!default_mass && config.units == UnitSystem::lj) default_mass = 1.0;
  p.mass = per_atom(config, structure, structure.mass, entries, &SpeciesConfig::mass, default_mass,
                    "no mass: the structure gives none (add 'mass = ...' to [system], or to each [[species]])");
  p.charge = per_atom(config, structure, structure.charge, entries, &SpeciesConfig::charge, 0.0, "");
  if (!structure.velocity.empty()) {
    p.velocity = structure.velocity;
  } else if (config.temperature && *config.temperature > 0) {
    p.velocity = maxwell_boltzmann(p.mass, *config.temperature, system.units, config.random_seed);
    system.momentum_removed_at_start = n > 1;
  } else {
    p.velocity.assign(n, {});
  }
  system.pair_species = system.model.n_species == 1 ? std::vector<std::uint32_t>(n, 0) : p.species;
  return system;
}

}  // namespace dropmd
