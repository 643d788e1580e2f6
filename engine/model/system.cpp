#include "engine/model/system.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/ase_units.h"
#include "engine/methods/method.h"
#include "engine/model/coulomb_division.h"
#include "engine/model/initial_velocities.h"
#include "engine/model/origins.h"
#include "engine/model/pair_species.h"
#include "engine/model/possible_atoms.h"
#include "engine/model/possible_settings.h"
#include "engine/molecules/constrained_start.h"
#include "engine/molecules/molecules.h"
#include "engine/molecules/motion_plans.h"
#include "forces/bonded/bonded_term.h"
#include "inputs/run_file/run_config.h"
#include "inputs/structures/structure.h"
#include "inputs/structures/structure_file.h"
#include "inputs/text_source.h"

namespace dropmd {

namespace {

/// place: empty for a configuration that is not from a file.
[[noreturn]] void fail(const RunConfig& config, const SourcePlace& place, const std::string& message) {
  throw InputError(place.file.empty() ? SourcePlace{config.file.string()} : place, message);
}

/// Returns a name for the settings in messages.
std::string settings_name(const RunConfig& config) {
  return config.file.empty() ? "the settings" : config.file.string();
}

void require_same_units(const RunConfig& config, const Structure& structure) {
  if (!structure.units || *structure.units == config.units) return;
  const std::string mine(units_of(*structure.units).name), other(units_of(config.units).name);
  fail(config, structure.units_place,
       "the structure is in units " + mine + ", but " + settings_name(config) + " says " + other + " (set units = \"" +
           mine + "\" there, or convert the structure)");
}

/// Returns the place of the first atom of a species.
SourcePlace place_of_species(const Structure& structure, std::size_t species) {
  const auto first = std::find(structure.species.begin(), structure.species.end(), species);
  return structure.place_of_atom(static_cast<std::size_t>(first - structure.species.begin()));
}

const SpeciesConfig* find_species(const RunConfig& config, const std::string& name) {
  const auto it = std::find_if(config.species.begin(), config.species.end(),
                               [&](const SpeciesConfig& s) { return s.name == name; });
  return it == config.species.end() ? nullptr : &*it;
}

/// Returns the [[species]] entry of each species of the structure; empty if the run file lists none.
std::vector<const SpeciesConfig*> species_entries(const RunConfig& config, const Structure& structure) {
  std::vector<const SpeciesConfig*> entries;
  if (config.species.empty()) return entries;
  for (std::size_t k = 0; k < structure.species_names.size(); ++k) {
    const std::string& name = structure.species_names[k];
    const SpeciesConfig* entry = find_species(config, name);
    if (entry == nullptr) {
      std::string known;
      for (const SpeciesConfig& s : config.species) known += (known.empty() ? "" : ", ") + s.name;
      fail(config, place_of_species(structure, k),
           "the species '" + name + "' has no [[species]] entry in " + settings_name(config) +
               " (there are entries for " + known + ")");
    }
    entries.push_back(entry);
  }
  return entries;
}

PairModel build_model(const RunConfig& config, const Units& units, const PairSpecies& species) {
  PairModel model;
  model.coulomb = config.coulomb;
  model.coulomb_constant = units.coulomb;
  if (config.born_mayer) {
    model.born_mayer = config.born_mayer->treatment;
    if (!species.first.empty()) model.n_species = species.first.size();
    model.born_mayer_parameters = born_mayer_parameters(config, species);
    return model;
  }
  if (!config.lennard_jones) return model;
  model.lj = config.lennard_jones->treatment;
  if (config.topology.given()) return model;  // add_molecules() has the parameters
  if (species.first.empty()) {                // all atoms alike
    model.lj_parameters = {{config.lennard_jones->epsilon.value_or(0), config.lennard_jones->sigma.value_or(1)}};
    return model;
  }
  model.n_species = species.first.size();
  model.lj_parameters = mixed_parameters(config, species);
  return model;
}

/// The smallest and the largest charge of a species of pair parameters.
struct ChargeRange {
  double low = std::numeric_limits<double>::infinity(), high = -std::numeric_limits<double>::infinity();
};

/// Returns the most attractive product of their charges; 0 if one has no atoms.
double most_attractive(const ChargeRange& a, const ChargeRange& b) {
  if (a.low > a.high || b.low > b.high) return 0;
  return std::min({a.low * b.low, a.low * b.high, a.high * b.low, a.high * b.high});
}

void require_barriers(const RunConfig& config, const PairSpecies& species, System& system) {
  const auto collapsing = find_barriers(system);
  if (!collapsing) return;
  const auto& [a, b] = *collapsing;
  const std::string pair =
      species.first.empty() ? "the atoms" : "'" + species.first[a]->name + "' and '" + species.first[b]->name + "'";
  fail(config, config.born_mayer->place,
       "[born-mayer] has no repulsion between " + pair +
           " that would keep them apart: they attract each other at every distance (use a larger A or rho, or smaller "
           "C, D or charges)");
}

/// Returns per-atom values: the structure's, else those of the species, else `otherwise`. Without any of these it is an
/// error.
std::vector<double> per_atom(const RunConfig& config, const Structure& structure, const std::vector<double>& given,
                             const std::vector<const SpeciesConfig*>& entries,
                             std::optional<double> SpeciesConfig::*member, std::optional<double> otherwise) {
  if (!given.empty()) return given;
  std::vector<double> values(structure.position.size());
  for (std::size_t i = 0; i < values.size(); ++i) {
    const SpeciesConfig* const entry = entries.empty() ? nullptr : entries[structure.species[i]];
    std::optional<double> value = entry == nullptr ? std::nullopt : entry->*member;
    if (!value) value = otherwise;
    if (!value && entry != nullptr)
      fail(config, entry->place,
           "no mass for '" + entry->name + "': the structure gives none (add 'mass = ...' here, or to [system])");
    if (!value)
      fail(config, config.system_place,
           fmt::format("no mass: the structure gives none (add 'mass = ...' to [system], or to each [[species]]{})",
                       topology_remedy(config.structure)));
    values[i] = *value;
  }
  return values;
}

/// Returns velocities from momenta, which are in ASE's units for units real.
std::vector<Vec3<double>> velocities_of(const Structure& structure, const std::vector<double>& mass,
                                        const Units& units) {
  const double unit = units.system == UnitSystem::real ? kAseTime : 1;
  std::vector<Vec3<double>> velocity(structure.momentum.size());
  for (std::size_t i = 0; i < velocity.size(); ++i)
    if (mass[i] > 0) velocity[i] = (1 / (unit * mass[i])) * structure.momentum[i];
  return velocity;
}

/// Throws InputError unless both agree to the decimals that programs write: ASE writes eight, for velocities near 1e-3
/// Å/fs.
void require_same_velocities(const RunConfig& config, const Structure& structure,
                             const std::vector<Vec3<double>>& of_momenta) {
  constexpr double kRelative = 1e-4, kAbsolute = 1e-7;
  for (std::size_t i = 0; i < of_momenta.size(); ++i) {
    const Vec3<double>& v = structure.velocity[i];
    if (norm(v - of_momenta[i]) > kRelative * norm(v) + kAbsolute)
      fail(config, structure.place_of_atom(i),
           "velocity and momentum of atom " + std::to_string(i + 1) +
               " contradict each other (keep one of the columns; momenta are in ASE's units if units are real)");
  }
}

/// Returns the velocities of the structure; empty if it has neither velocities nor momenta.
std::vector<Vec3<double>> given_velocities(const RunConfig& config, const Structure& structure,
                                           const std::vector<double>& mass, const Units& units) {
  if (structure.momentum.empty()) return structure.velocity;
  std::vector<Vec3<double>> of_momenta = velocities_of(structure, mass, units);
  if (structure.velocity.empty()) return of_momenta;
  require_same_velocities(config, structure, of_momenta);
  return structure.velocity;
}

/// Returns the constraints at the positions of the system, which are moved to satisfy them first.
VelocityConstraints velocity_constraints_of(const System& system) {
  const auto constraints = std::make_shared<const CpuConstraints>(constraints_of(system));
  const std::size_t number = constraints->plan().n_constraints;
  if (number == 0) return {};
  return {number, [&system, constraints](std::span<Vec3<double>> velocity) {
            std::vector<Vec3<double>> position = system.particles.position;
            satisfy(*constraints, system.particles, position, velocity);
          }};
}

/// Draws velocities at the temperature of [system]; at zero temperature atoms are at rest.
void draw_velocities(const RunConfig& config, System& system) {
  Particles& p = system.particles;
  if (!config.temperature || *config.temperature == 0) {
    p.velocity.assign(p.size(), {});
    return;
  }
  p.velocity =
      maxwell_boltzmann(p.mass, *config.temperature, system.units, config.random_seed, velocity_constraints_of(system));
  system.momentum_removed_at_start = p.size() > 1;
}

/// Gives the system the topology of molecules, its bonded terms and the pair parameters of its types.
void add_molecules(const std::shared_ptr<const MolecularModel>& molecules, System& system) {
  system.molecules = molecules;
  system.topology = {molecules, &molecules->topology};
  auto bonded = std::make_shared<const BondedTerm>(system.topology, system.units.coulomb);
  if (!bonded->energy_names().empty()) system.terms.push_back(std::move(bonded));
  system.model.n_species = molecules->type_names.size();
  system.model.lj_parameters = molecules->lj;
}

/// Gives each atom the pair parameters of its type.
void set_types(const MolecularModel& molecules, Particles& p) {
  for (std::size_t i = 0; i < p.size(); ++i) {
    const std::uint32_t number = p.id_of(i) - 1;
    if (number >= molecules.type.size())
      throw InputError(
          fmt::format("atom {} is not in the topology, which has {} atoms (expected: a checkpoint.h5 that a run wrote)",
                      number + 1, molecules.type.size()));
    p.pair_species[i] = molecules.type[number];
  }
}

/// Returns walls and fields with the structure's radius for a wall without one.
FormChoices fields_with_radius(const RunConfig& config, const Structure& structure) {
  FormChoices fields = config.fields;
  const auto wall = fields.find("wall");
  if (wall == fields.end() || wall->second.has("radius")) return fields;
  const auto place = config.field_places.find("wall");
  if (!structure.radius)
    fail(config, place == config.field_places.end() ? SourcePlace{} : place->second,
         "[wall] needs a radius: the structure gives none (add 'radius = ...' to [wall], or form = \"none\")");
  wall->second.values["radius"] = *structure.radius;
  return fields;
}

}  // namespace

namespace {

/// Whether a run that had this mesh, or none, may continue with it under these settings.
bool is_of(const std::optional<CoulombMesh>& mesh, const CoulombSettings& settings) {
  if (!mesh) return settings.method != CoulombMethod::mesh;
  return settings.method != CoulombMethod::direct && settings.accuracy.value_or(kUsualMeshAccuracy) == mesh->accuracy;
}

/// Divides an untruncated Coulomb term between pairs and a mesh, if that is wanted.
void add_mesh(const RunConfig& config, const std::optional<CoulombMesh>* given, System& system) {
  const CoulombSettings& settings = config.coulomb_settings;
  const bool may_have_mesh = settings.method == CoulombMethod::mesh || settings.accuracy || given != nullptr;
  if (!may_have_mesh || !system.model.coulomb) return;
  const Backend backend = choose_processor(config).backend;
  if (given != nullptr && is_of(*given, settings))
    system.mesh = *given;
  else
    system.mesh = choose_division(config, system, backend).mesh;
  if (!system.mesh) return;
  divide_coulomb(system, system.mesh->parameters, backend, config.precision);
  system.outer.every = settings.mesh_every.value_or(1);
}

}  // namespace

System build_system(const RunConfig& config, const Structure& structure,
                    const std::shared_ptr<const MolecularModel>& molecules, const Continuation* continued) {
  require_possible_model(config);
  require_possible_structure(structure, molecules != nullptr);
  require_same_units(config, structure);
  System system;
  system.units = units_of(config.units);
  system.warnings = structure.warnings;
  for (std::string& warning : overridden_values(config, structure)) system.warnings.push_back(std::move(warning));
  system.title = config.title.empty() ? structure.title : config.title;
  system.radius = structure.radius;
  system.fields = fields_with_radius(config, structure);

  const auto entries = species_entries(config, structure);
  const PairSpecies species = config.lennard_jones || config.born_mayer ? pair_species(config, entries) : PairSpecies{};
  system.model = build_model(config, system.units, species);
  if (molecules) add_molecules(molecules, system);

  Particles& p = system.particles;
  const std::size_t n = structure.position.size();
  // Masses, charges and velocities that the structure lacks are set below.
  for_each_field<EveryField>([&]<class Field>(Field) {
    if constexpr (IsInStructure<Field>::value) Field::of(p) = Field::of(structure);
    if constexpr (HasDefault<Field>)
      if (Field::of(p).empty()) Field::of(p).assign(n, Field::kDefault);
  });
  p.species_names = structure.species_names;
  if (continued != nullptr) restore_identity(continued->state, p);
  std::optional<double> default_mass = config.mass;
  if (!default_mass && config.units == UnitSystem::lj) default_mass = 1.0;
  p.mass = per_atom(config, structure, structure.mass, entries, &SpeciesConfig::mass, default_mass);
  p.charge = per_atom(config, structure, structure.charge, entries, &SpeciesConfig::charge, 0.0);
  system.row_of_species.assign(p.species_names.size(), 0);
  if (system.model.n_species > 1 && !molecules) system.row_of_species = species.row;
  p.pair_species.resize(n);
  for (std::size_t i = 0; i < n; ++i) p.pair_species[i] = system.row_of_species[p.species[i]];
  if (molecules) set_types(*molecules, p);
  p.velocity = given_velocities(config, structure, p.mass, system.units);
  if (p.velocity.empty()) draw_velocities(config, system);
  require_possible_particles(p);
  if (config.born_mayer) require_barriers(config, species, system);
  add_mesh(config, continued != nullptr ? &continued->mesh : nullptr, system);
  return system;
}

void restore_identity(const RunState& from, Particles& particles) {
  for_each_field<IsInState>([&]<class Field>(Field) {
    if constexpr (!IsInStructure<Field>::value) Field::of(particles) = Field::of(from);
  });
  particles.next_id = from.next_id;
}

Structure read_structure(const RunConfig& config) {
  require_file(config.structure, config.structure_place);
  Structure structure = read_structure_file(config.structure);
  if (config.topology.given()) return structure;
  const auto site = std::find(structure.mass.begin(), structure.mass.end(), 0.0);
  if (site == structure.mass.end()) return structure;
  const auto index = static_cast<std::size_t>(site - structure.mass.begin());
  throw InputError(
      structure.place_of_atom(index),
      fmt::format("the mass of atom {} is 0, which only virtual sites may have (give their topology: topology = "
                  "\"FILE\" in [system])",
                  index + 1));
}

System read_system_at_rest(const RunConfig& config) {
  RunConfig at_rest = config;
  if (at_rest.temperature) at_rest.temperature = 0;
  return read_system(at_rest);
}

System read_system(const RunConfig& config) {
  Structure structure = read_structure(config);
  const std::shared_ptr<const MolecularModel> molecules = read_molecules(config, structure);
  return build_system(config, structure, molecules);
}

std::optional<std::pair<std::size_t, std::size_t>> find_barriers(System& system) {
  PairModel& model = system.model;
  if (!model.born_mayer) return std::nullopt;
  const Particles& p = system.particles;
  std::vector<ChargeRange> charges(model.n_species);
  for (std::size_t i = 0; i < p.size(); ++i) {
    ChargeRange& of = charges[p.pair_species[i]];
    of.low = std::min(of.low, p.charge[i]);
    of.high = std::max(of.high, p.charge[i]);
  }
  for (std::size_t a = 0; a < model.n_species; ++a)
    for (std::size_t b = 0; b < model.n_species; ++b) {
      const double product = model.coulomb ? most_attractive(charges[a], charges[b]) : 0;
      if (!find_barrier(model.born_mayer_parameters[a * model.n_species + b], model.coulomb_constant * product))
        return std::pair(a, b);
    }
  return std::nullopt;
}

}  // namespace dropmd
