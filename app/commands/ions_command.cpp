#include <fmt/core.h>

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cmath>
#include <numeric>
#include <ostream>

#include "app/charges_input.h"
#include "app/commands/map_work.h"
#include "app/json_text.h"
#include "app/map_options.h"
#include "app/option_values.h"
#include "app/shared_options.h"
#include "core/terminal_text.h"
#include "core/topology/molecular_model.h"
#include "core/version.h"
#include "engine/jobs/place_ions.h"
#include "inputs/nearest_word.h"
#include "inputs/run_file/run_config.h"
#include "inputs/structures/element_species.h"
#include "outputs/structures/structure_file.h"

namespace dropmd {

namespace {

void add_options(OptionTable& options) {
  add_file_argument(options);
  add_units_option(options);
  add_processor_options(options);
  add_common_options(options);
  options.add("ions", {{"charge", "of an ion (default: the topology's, else 1 against the droplet's sign)", "Q"},
                       {"count", "number of ions (default: as many as make the droplet neutral)", "N"},
                       {"species", "name of the ions (default ION); of molecules: as the topology names them", "NAME"},
                       {"mass", "of an ion (default: that of its species in topology, run file or structure)", "M"},
                       {"distance", "least distance from the atoms (default 5)", "D"},
                       {"ion-distance", "least distance from each other (default 5)", "D"}});
  add_grid_options(options);
}

double net_charge(const Particles& atoms) { return std::accumulate(atoms.charge.begin(), atoms.charge.end(), 0.0); }

/// known: the topology's molecule of the ion, or null.
double charge_option(const GivenOptions& options, const OneAtomMolecule* known, double net) {
  if (!options.has("charge") && known != nullptr && known->charge != 0) return known->charge;
  if (!options.has("charge")) return net > 0 ? -1 : 1;
  const std::string& text = options.text("charge");
  double charge = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), charge);
  if (error != std::errc{} || end != text.data() + text.size() || !std::isfinite(charge) || charge == 0)
    throw UsageError("--charge: '" + text + "' is not a charge (such as 1 or --charge=-2)");
  return charge;
}

constexpr double kMostIons = 1e6;

IonRecipe recipe_of(const GivenOptions& options, const OneAtomMolecule* known, const Particles& atoms) {
  IonRecipe recipe;
  const double net = net_charge(atoms);
  recipe.charge = charge_option(options, known, net);
  if (options.has("distance")) recipe.distance = real_option(options, "distance", Zero::allowed);
  if (options.has("ion-distance")) recipe.ion_distance = real_option(options, "ion-distance", Zero::allowed);
  if (options.has("count")) {
    recipe.count = whole_option<std::size_t>(options, "count", 1);
    return recipe;
  }
  const double wanted = std::round(-net / recipe.charge);
  if (!(wanted >= 1))
    throw UsageError(fmt::format(
        "the droplet's charge is {:g}: no ion of charge {:g} makes it neutral (give --count, or --charge of the "
        "other sign)",
        net, recipe.charge));
  if (wanted > kMostIons)
    throw UsageError(
        fmt::format("{:.3g} ions would make the droplet neutral, which is too many (give a larger --charge)", wanted));
  recipe.count = static_cast<std::size_t>(wanted);
  return recipe;
}

/// Removes velocities and masses that are not known, since the structure has none.
Particles known_of(const ChargesInput& input, Particles atoms) {
  if (input.structure.velocity.empty() && input.structure.momentum.empty()) atoms.velocity.clear();
  if (!input.masses_are_known) atoms.mass.clear();
  return atoms;
}

/// Returns the atoms and, after them, the ions, at rest.
Particles with_ions(Particles atoms, const std::vector<PlacedIon>& ions, const IonRecipe& recipe,
                    const std::string& name, double mass) {
  const bool with_velocities = !atoms.velocity.empty(), with_masses = !atoms.mass.empty();
  const auto known = std::find(atoms.species_names.begin(), atoms.species_names.end(), name);
  const auto species = static_cast<std::uint32_t>(known - atoms.species_names.begin());
  if (known == atoms.species_names.end()) atoms.species_names.push_back(name);
  for (const PlacedIon& ion : ions) {
    atoms.position.push_back(ion.position);
    if (with_velocities) atoms.velocity.push_back({});
    if (with_masses) atoms.mass.push_back(mass);
    atoms.charge.push_back(recipe.charge);
    atoms.species.push_back(species);
  }
  return atoms;
}

/// Returns a name that other programs and this one read back as a single word.
std::string species_option(const GivenOptions& options) {
  if (!options.has("species")) return "ION";
  const std::string& name = options.text("species");
  if (name.empty() ||
      std::any_of(name.begin(), name.end(), [](unsigned char c) { return c <= ' ' || c == '"' || c > '~'; }))
    throw UsageError("--species: '" + name + "' is not a name (such as Na)");
  return name;
}

bool equal_but_for_case(std::string_view a, std::string_view b) {
  const auto lower = [](char c) { return std::tolower(static_cast<unsigned char>(c)); };
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [&](char x, char y) { return lower(x) == lower(y); });
}

/// Returns the molecule of a topology that has the name, or whose atom has it, exactly or else, as in [ molecules ],
/// apart from upper and lower case; null: there is none.
const OneAtomMolecule* find_ion(const MolecularModel* molecules, const std::string& name) {
  if (molecules == nullptr) return nullptr;
  const auto is_equal = [](std::string_view a, std::string_view b) { return a == b; };
  const auto find = [&](auto&& is_same) -> const OneAtomMolecule* {
    for (const auto member : {&OneAtomMolecule::name, &OneAtomMolecule::atom_name})
      for (const OneAtomMolecule& molecule : molecules->one_atom_molecules)
        if (is_same(molecule.*member, name)) return &molecule;
    return nullptr;
  };
  const OneAtomMolecule* const exact = find(is_equal);
  return exact != nullptr ? exact : find(equal_but_for_case);
}

/// Returns the names that --species may have beside a topology, for messages: "; it has NA, CL".
std::string known_ions(const MolecularModel* molecules) {
  std::vector<std::string_view> names;
  if (molecules != nullptr)
    for (const OneAtomMolecule& molecule : molecules->one_atom_molecules) names.push_back(molecule.name);
  return names.empty() ? "" : "; the topology has " + joined(names);
}

/// Warns that the topology has no such ion, which the structure will have.
void warn_of_unknown_ion(const MolecularModel& molecules, const std::string& name, const GivenOptions& options,
                         Streams& streams) {
  show_warnings({fmt::format("the topology {} has no molecule type of one atom named '{}', so that the new structure "
                             "does not fit it (--species NAME{})",
                             molecules.file, name, known_ions(&molecules))},
                options, streams);
}

/// Returns the names of the atoms of molecules, followed by those of the ions, each a residue of its own; nullopt if
/// the atoms have none. known: as find_ion() returns it.
std::optional<AtomNames> names_with_ions(const MolecularModel* molecules, std::size_t n_ions,
                                         const OneAtomMolecule* known, const std::string& name) {
  if (molecules == nullptr || molecules->atom_name.empty() || molecules->residue_name.empty()) return std::nullopt;
  AtomNames names = *molecules;
  for (std::size_t k = 0; k < n_ions; ++k) {
    names.atom_name.push_back(known != nullptr ? known->atom_name : name);
    names.residue_name.push_back(known != nullptr ? known->residue_name : name);
    names.residue_number.push_back(names.residue_number.back() + 1);
  }
  return names;
}

/// Returns the species of an ion. With a topology, species are elements, which follow from masses.
std::string species_of_ion(const OneAtomMolecule* known, const std::string& name) {
  const std::string element = known != nullptr ? element_of_mass(known->mass) : "";
  return element.empty() ? name : element;
}

/// Returns the mass of [[species]] in the run file, or that of atoms of that name; nullopt if there is neither.
std::optional<double> known_mass(const RunConfig& config, const Particles& atoms, const std::string& name) {
  for (const SpeciesConfig& species : config.species)
    if (species.name == name && species.mass) return species.mass;
  for (std::size_t i = 0; i < atoms.size(); ++i)
    if (atoms.species_names[atoms.species[i]] == name) return atoms.mass[i];
  return std::nullopt;
}

/// Returns the mass of an ion; it is not used if the masses of the atoms are unknown.
double ion_mass(const GivenOptions& options, const ChargesInput& input, const OneAtomMolecule* known,
                const System& system, const std::string& name) {
  if (!input.masses_are_known) {
    if (options.has("mass"))
      throw UsageError("--mass is of no use: the structure does not have the masses of its atoms");
    return 0;
  }
  if (options.has("mass")) return real_option(options, "mass", Zero::excluded);
  if (known != nullptr) return known->mass;
  if (const auto mass = known_mass(input.config, system.particles, name)) return *mass;
  if (system.units.system == UnitSystem::real)
    throw UsageError("neither run file nor structure has a mass for '" + name +
                     "' (--mass M, in g/mol, or --species with a name known to them" +
                     known_ions(input.molecules.get()) + ")");
  return 1;
}

/// Warns of what the format of the file cannot store. with_names: the file names the molecules, whose topology has the
/// rest.
void warn_of_drops(const std::filesystem::path& path, bool with_names, const GivenOptions& options, Streams& streams) {
  if (with_names && path.extension() == std::filesystem::path(kFinalOfMolecules).extension()) return;
  if (const std::string_view drops = structure_format_drops(path); !drops.empty())
    show_warnings({fmt::format("{} does not keep {} (a .xyz file does)", path.string(), drops)}, options, streams);
}

/// Returns the choices of the map whose extremes take the ions: its grid reaches as far as they may be placed.
MapChoices ion_map_choices(const GivenOptions& options, const RunConfig& config, const IonRecipe& recipe,
                           const Units& units) {
  MapChoices usual = usual_map_choices(config);
  usual.padding += recipe.distance;
  usual.points.reset();  // the grid of the run's maps is not for ions
  usual.origin.reset();
  return map_choices(options, units, usual);
}

/// Returns the line that says what the topology needs for the new structure.
std::string next_step(const MolecularModel& molecules, const OneAtomMolecule& ion, std::size_t n_ions) {
  return fmt::format("  next: the line \"{} {}\" at the end of [ molecules ] in {}\n", ion.name, n_ions,
                     without_commands(molecules.file));
}

ExitStatus run(const GivenOptions& options, Streams& streams) {
  ChargesInput input = read_charges_input(options, "ions");
  RunConfig& config = input.config;
  apply_method_options(options, config);
  show_config(config, options, streams);
  if (!options.has("output")) throw UsageError("ions needs an output file (-o FILE.xyz or -o FILE.drop)");
  const std::filesystem::path path = options.text("output");
  require_structure_format(path);
  require_free_outputs(options, config);
  const System system = input.system();
  show_warnings(system.warnings, options, streams);
  const Units& units = system.units;
  const std::string name = species_option(options);
  const MolecularModel* const molecules = input.molecules.get();
  const OneAtomMolecule* const known = find_ion(molecules, name);
  const double mass = ion_mass(options, input, known, system, name);
  warn_of_drops(path, molecules != nullptr, options, streams);
  if (molecules != nullptr && known == nullptr) warn_of_unknown_ion(*molecules, name, options, streams);
  const IonRecipe recipe = recipe_of(options, known, system.particles);
  const MapChoices choices = ion_map_choices(options, config, recipe, units);
  const Method method = choose_processor(config);
  const bool quiet = options.has("quiet");
  if (!method.note.empty() && !quiet) streams.err << "dropmd: " << method.note << '\n';

  std::vector<PlacedIon> ions;
  const ExitStatus end = do_map_work(options, streams, [&](const MapProgress& progress) {
    ions = place_ions(method, choices, units, system.particles, recipe, progress);
  });
  if (end != ExitStatus::done) return end;
  const Particles all = with_ions(known_of(input, system.particles), ions, recipe, species_of_ion(known, name), mass);
  const std::optional<AtomNames> names = names_with_ions(molecules, ions.size(), known, name);
  write_structure_file(path,
                       {.particles = all,
                        .units = input.units_are_known ? &units : nullptr,
                        .title = system.title,
                        .radius = system.radius,
                        .names = names ? &*names : nullptr},
                       options.has("force"));
  Json::List placed;
  std::string text;
  for (const PlacedIon& ion : ions) {
    const Vec3<double>& x = ion.position;
    placed.emplace_back(Json::Object{{"position", Json::List{x.x, x.y, x.z}}, {"potential", ion.potential}});
    text += fmt::format("  {} at {:g} {:g} {:g}: potential {:.6g} {}\n", name, x.x, x.y, x.z, ion.potential,
                        map_unit(choices, units));
  }
  if (options.has("json"))
    streams.out << json_text({{"file", path.string()},
                              {"n_atoms", all.size()},
                              {"units", units.name},
                              {"backend", word_of(method.backend)},
                              {"charge", recipe.charge},
                              {"net_charge_before", net_charge(system.particles)},
                              {"net_charge", net_charge(all)},
                              {"unit", map_unit(choices, units)},
                              {"ions", placed},
                              {"version", kVersion}});
  else if (!quiet)
    streams.out << fmt::format(
        "{} ions of charge {:g} put into {} atoms; net charge {:.6g}, before {:.6g}\n{}  wrote {}\n{}", ions.size(),
        recipe.charge, system.particles.size(), net_charge(all), net_charge(system.particles), text,
        without_commands(path.string()), known != nullptr ? next_step(*molecules, *known, ions.size()) : "");
  return ExitStatus::done;
}

}  // namespace

Command ions_command() {
  return {
      "ions",
      "FILE",
      "put counter-ions where the potential is lowest for them",
      {"dropmd ions inputs/samples/droplet-4139.toml --charge=-1 --count 2 --species Cl --mass 35.45 --spacing 2 -o "
       "with-ions.xyz"},
      add_options,
      run};
}

}  // namespace dropmd
