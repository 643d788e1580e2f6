#include "inputs/run_file/resolved_run.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cmath>
#include <limits>

#include "engine/model/invariance.h"
#include "inputs/run_file/form_reader.h"
#include "inputs/run_file/run_config.h"
#include "inputs/run_file/run_file.h"
#include "inputs/run_file/sections/coulomb_section.h"
#include "inputs/structures/bare_structure.h"
#include "tests/support/form_catalog.h"
#include "tests/support/system/temp_folder.h"

namespace dropmd {
namespace {

bool same(const FormChoice& a, const FormChoice& b) { return a.form == b.form && a.values == b.values; }
bool same(const SpeciesConfig& a, const SpeciesConfig& b) {
  return a.name == b.name && a.mass == b.mass && a.charge == b.charge && a.epsilon == b.epsilon && a.sigma == b.sigma;
}
bool same(const PairConfig& a, const PairConfig& b) {
  return a.first == b.first && a.second == b.second && a.epsilon == b.epsilon && a.sigma == b.sigma &&
         a.born_mayer == b.born_mayer;
}
bool same(const BornMayerConfig& a, const BornMayerConfig& b) {
  return a.values == b.values && same(a.treatment, b.treatment);
}
bool same(const LennardJonesConfig& a, const LennardJonesConfig& b) {
  return a.epsilon == b.epsilon && a.sigma == b.sigma && same(a.treatment, b.treatment) && a.mixing == b.mixing;
}
bool same(const MapConfig& a, const MapConfig& b) {
  const MapChoices &x = a.choices, &y = b.choices;
  return same(x.coulomb, y.coulomb) && x.spacing == y.spacing && x.padding == y.padding && x.origin == y.origin &&
         x.points == y.points && x.nearest == y.nearest && x.unit == y.unit && x.temperature == y.temperature &&
         a.every == b.every && a.average == b.average && a.file == b.file;
}
template <class T>
bool same(const std::optional<T>& a, const std::optional<T>& b) {
  return a.has_value() == b.has_value() && (!a || same(*a, *b));
}
template <class T>
bool same(const std::vector<T>& a, const std::vector<T>& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](const T& x, const T& y) { return same(x, y); });
}

bool same(const FormChoices& a, const FormChoices& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](const auto& x, const auto& y) { return x.first == y.first && same(x.second, y.second); });
}

bool same(const CoulombSettings& a, const CoulombSettings& b) {
  return a.method == b.method && a.accuracy == b.accuracy && a.mesh_cutoff == b.mesh_cutoff &&
         a.mesh_spacing == b.mesh_spacing && a.mesh_order == b.mesh_order && a.mesh_every == b.mesh_every;
}

/// Compares everything except the file, positions in it, and warnings.
bool same(const RunConfig& a, const RunConfig& b) {
  return a.title == b.title && a.units == b.units && a.structure == b.structure && a.mass == b.mass &&
         a.temperature == b.temperature && a.random_seed == b.random_seed && same(a.lennard_jones, b.lennard_jones) &&
         same(a.born_mayer, b.born_mayer) && same(a.species, b.species) && same(a.pairs, b.pairs) &&
         same(a.coulomb, b.coulomb) && same(a.coulomb_settings, b.coulomb_settings) && same(a.fields, b.fields) &&
         a.neighbor == b.neighbor && a.skin == b.skin && a.backend == b.backend && a.precision == b.precision &&
         a.device == b.device && a.threads == b.threads && same(a.integrator, b.integrator) && a.steps == b.steps &&
         a.recenter_every == b.recenter_every && recentring(a, invariance_of(a)) == recentring(b, invariance_of(b)) &&
         a.remove_momentum == b.remove_momentum && a.output_directory == b.output_directory &&
         a.energy_every == b.energy_every && a.trajectory_every == b.trajectory_every &&
         a.trajectory_file == b.trajectory_file && a.checkpoint_every == b.checkpoint_every &&
         a.checkpoint_minutes == b.checkpoint_minutes && a.final_file == b.final_file && same(a.map, b.map);
}

RunConfig read_back(const RunConfig& config) {
  const TempFolder folder;
  return read_run_file(folder.write("resolved.toml", resolved_run_toml(config, invariance_of(config))),
                       test_form_catalog());
}

template <class T>
T any_of(std::initializer_list<T> values) {
  return *rc::gen::elementOf(std::vector<T>(values));
}

double positive_number() {
  return std::ldexp(static_cast<double>(*rc::gen::inRange<std::int64_t>(1, std::int64_t{1} << 53)),
                    *rc::gen::inRange(-200, 200));
}

std::optional<double> maybe_positive_number() {
  return *rc::gen::arbitrary<bool>() ? std::optional(positive_number()) : std::nullopt;
}

Vec3<double> any_vector() {
  const double x = positive_number(), y = positive_number(), z = positive_number();
  return {x, -y, z};
}

FormChoice any_form(const FormList& forms, UnitSystem units) {
  const FormInfo& info = forms[*rc::gen::inRange<std::size_t>(0, forms.size())];
  FormChoice choice = form_with_defaults(forms, info.name, units);
  for (const FormKey& key : info.keys)
    if (key.vector)
      choice.set_vector(key.name, any_vector());
    else if (key.required || *rc::gen::arbitrary<bool>())
      choice.values[std::string(key.name)] = positive_number();
  if (choice.has("dielectric") && *rc::gen::arbitrary<bool>())
    choice.values["dielectric"] = std::numeric_limits<double>::infinity();
  return choice;
}

/// Characters that TOML must escape, and others.
std::string any_text() {
  return *rc::gen::container<std::string>(rc::gen::elementOf(std::string("ab \"'\\\n\t\r\x01\x7f=[]#{}")));
}

void add_lennard_jones(RunConfig& config, const FormCatalog& catalog) {
  config.lennard_jones.emplace();
  config.lennard_jones->treatment = any_form(catalog.lennard_jones, config.units);
  auto& values = config.lennard_jones->treatment.values;
  if (values.contains("switch-from")) values["switch-from"] = values["cutoff"] / 2;
  config.lennard_jones->mixing = any_of({Mixing::lorentz_berthelot, Mixing::geometric});
  if (*rc::gen::arbitrary<bool>()) {
    config.lennard_jones->epsilon = positive_number();
    config.lennard_jones->sigma = positive_number();
  } else {
    config.species = {{"A", maybe_positive_number(), maybe_positive_number(), positive_number(), positive_number()},
                      {any_text() + "B", {}, {}, 0.0, positive_number()}};
    config.pairs = {{"A", config.species[1].name, positive_number(), positive_number()}};
  }
}

BornMayerValues any_born_mayer() {
  return {positive_number(), positive_number(), positive_number(), positive_number(), positive_number()};
}

void add_born_mayer(RunConfig& config, const FormCatalog& catalog) {
  config.born_mayer.emplace();
  config.born_mayer->treatment = any_form(catalog.born_mayer, config.units);
  if (*rc::gen::arbitrary<bool>()) {
    config.born_mayer->values = any_born_mayer();
  } else {
    config.species = {{"A", maybe_positive_number(), maybe_positive_number()}, {any_text() + "B", {}, {}}};
    config.pairs = {{.first = "A", .second = config.species[1].name, .born_mayer = any_born_mayer()},
                    {.first = "A", .second = "A", .born_mayer = any_born_mayer()}};
  }
}

MapConfig any_map(const FormCatalog& catalog, UnitSystem units) {
  MapConfig map;
  MapChoices& choices = map.choices;
  map.every = *rc::gen::inRange<std::int64_t>(0, std::numeric_limits<std::int64_t>::max());
  map.average = *rc::gen::arbitrary<bool>();
  map.file = any_of<std::string>({"potential.dx", "a \"map\".cube", "x.vti"});
  choices.nearest = std::ldexp(positive_number(), -500);
  if (*rc::gen::arbitrary<bool>()) {
    choices.coulomb = any_form(catalog.map, units);
    choices.nearest = choices.coulomb.at("cutoff") / 2;
  }
  const double h = positive_number();
  choices.spacing = {h, h, *rc::gen::arbitrary<bool>() ? h : positive_number()};
  choices.padding = default_map_lengths(units).padding;
  if (*rc::gen::arbitrary<bool>()) {
    const auto count = [] { return *rc::gen::inRange<std::int32_t>(1, std::numeric_limits<std::int32_t>::max()); };
    const std::int32_t nx = count(), ny = count(), nz = count();
    choices.origin = any_vector();
    choices.points = {nx, ny, nz};
  } else {
    choices.padding = positive_number();
  }
  choices.unit = any_of({MapUnit::energy, MapUnit::thermal});
  if (units == UnitSystem::real && *rc::gen::arbitrary<bool>()) choices.unit = MapUnit::volt;
  if (choices.unit == MapUnit::thermal) choices.temperature = positive_number();
  return map;
}

CoulombSettings any_coulomb_settings() {
  CoulombSettings settings;
  settings.method = any_of({CoulombMethod::automatic, CoulombMethod::direct, CoulombMethod::mesh});
  if (settings.method == CoulombMethod::direct) return settings;
  settings.accuracy = any_of<std::optional<double>>({{}, 1e-2, 1e-4, 3e-7, 1e-10});
  settings.mesh_cutoff = maybe_positive_number();
  settings.mesh_spacing = maybe_positive_number();
  settings.mesh_order = any_of<std::optional<int>>({{}, 4, 6, 8});
  settings.mesh_every = any_of<std::optional<int>>({{}, 1});  // others need intervals that they divide
  return settings;
}

RunConfig any_config() {
  const FormCatalog catalog = test_form_catalog();
  const auto count = [] { return *rc::gen::inRange<std::int64_t>(0, std::numeric_limits<std::int64_t>::max()); };
  RunConfig config;
  config.title = any_text();
  config.units = any_of({UnitSystem::real, UnitSystem::lj});
  config.structure = "/somewhere/" + any_text() + "a.xyz";
  config.mass = maybe_positive_number();
  config.temperature = maybe_positive_number();
  config.random_seed = static_cast<std::uint64_t>(count());
  if (*rc::gen::arbitrary<bool>())
    add_lennard_jones(config, catalog);
  else if (*rc::gen::arbitrary<bool>())
    add_born_mayer(config, catalog);
  if (*rc::gen::arbitrary<bool>()) config.coulomb = any_form(catalog.coulomb, config.units);
  if (config.coulomb && config.coulomb->form == kExactCoulomb) config.coulomb_settings = any_coulomb_settings();
  for (const auto& [name, forms] : catalog.fields)
    if (*rc::gen::arbitrary<bool>()) config.fields[std::string(name)] = any_form(forms, config.units);
  config.neighbor = any_of({NeighborMethod::automatic, NeighborMethod::all_pairs, NeighborMethod::cells,
                            NeighborMethod::sorted_cells, NeighborMethod::pair_list});
  config.skin = maybe_positive_number();
  config.backend = any_of({Backend::automatic, Backend::cpu, Backend::cuda});
  config.precision = any_of({Precision::mixed, Precision::fp64});
  config.device = *rc::gen::inRange(0, 8);
  config.threads = *rc::gen::inRange(0, 256);
  config.integrator = any_form(catalog.integrator, config.units);
  config.steps = count();
  config.recenter_every = count();
  config.recenter = any_of<std::optional<Recenter>>({{}, Recenter::geometric, Recenter::mass, Recenter::none});
  config.remove_momentum =
      any_of({RemoveMomentum::none, RemoveMomentum::linear, RemoveMomentum::angular, RemoveMomentum::both});
  config.output_directory = any_text() + "out";
  config.energy_every = count();
  config.trajectory_every = count();
  config.trajectory_file = any_of<std::string>({"trajectory.xyz", "frames.test"});
  config.checkpoint_every = count();
  config.checkpoint_minutes = positive_number();
  config.final_file = any_of<std::string>({"", "final.drop", "last.xyz"});
  if (*rc::gen::arbitrary<bool>()) config.map = any_map(catalog, config.units);
  return config;
}

RC_GTEST_PROP(ResolvedRunProperty, ReadsBackTheSame, ()) {
  const RunConfig config = any_config();
  RC_ASSERT(same(read_back(config), config));
}

TEST(ResolvedRun, SpeciesThatOnlyGiveMassAndCharge) {
  RunConfig config;
  config.structure = "/a.xyz";
  config.output_directory = "out";
  config.species = {{"Na", 22.99, 1.0}};
  config.integrator = form_with_defaults(test_form_catalog().integrator, "descent", config.units);
  EXPECT_TRUE(same(read_back(config), config));
}

TEST(ResolvedRun, BareDroplet) {
  const RunConfig config = bare_structure_config("/somewhere/a.drop", test_form_catalog());
  EXPECT_TRUE(same(read_back(config), config)) << resolved_run_toml(config, invariance_of(config));
}

TEST(ResolvedRun, TextOfABareDroplet) {
  EXPECT_EQ(resolved_run_toml(bare_structure_config("/somewhere/a.drop", test_form_catalog()), Invariance{}),
            R"(title = ""
units = "lj"

[system]
structure = "/somewhere/a.drop"
mass = 1
random-seed = 1

[lennard-jones]
epsilon = 0.2
sigma = 2.2272467953508484
at-cutoff = "none"
mixing = "lorentz-berthelot"

[coulomb]
form = "exact"
method = "auto"

[wall]
form = "quartic"
stiffness = 0.01

[neighbor]
method = "auto"
skin = "auto"
tune = false

[engine]
backend = "auto"
precision = "mixed"
device = 0
multiprocessors = 0
threads = 0

[integrator]
form = "descent"
factor = 0.01

[run]
steps = 1000
recenter-every = 100
recenter = "geometric"
remove-momentum = "none"

[output]
directory = "a-out"
energy-every = 100
trajectory-every = 1000
checkpoint-every = 10000
checkpoint-minutes = 10
trajectory = "trajectory.xyz"
final = "final.drop"
)");
}

}  // namespace
}  // namespace dropmd
