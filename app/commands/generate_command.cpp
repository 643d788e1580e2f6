#include <fmt/core.h>

#include <array>
#include <cmath>
#include <numbers>
#include <ostream>
#include <string>
#include <utility>
#include <vector>

#include "app/commands/generate_run.h"
#include "app/commands/generate_water.h"
#include "app/json_text.h"
#include "app/option_values.h"
#include "app/shared_options.h"
#include "core/terminal_text.h"
#include "engine/jobs/generate_droplet.h"
#include "inputs/nearest_word.h"
#include "inputs/run_file/choice_words.h"
#include "outputs/structures/structure_file.h"

namespace dropmd {

namespace {

using Lattice = DropletRecipe::Lattice;
using Charges = DropletRecipe::Charges;

constexpr std::array<ChoiceWord<Lattice>, 3> kLatticeWords = {
    {{"fcc", Lattice::fcc}, {"sc", Lattice::sc}, {"random", Lattice::random}}};
constexpr std::array<ChoiceWord<Charges>, 3> kChargeWords = {
    {{"alternating", Charges::alternating}, {"random", Charges::random}, {"none", Charges::none}}};

void add_options(OptionTable& options) {
  add_file_argument(options);
  add_common_options(options);
  options.add("droplet", {{"atoms", "number of atoms (default 1000)", "N"},
                          {"radius", "radius instead of a number of atoms; water: also together with one", "R"},
                          {"density", "atoms per volume (default 0.07)", "D"},
                          {"lattice", "fcc | sc | random (default sc)", "WORD"},
                          {"min-distance", "smallest distance, random lattice only (default 0.8 mean spacings)", "D"},
                          {"charge", "magnitude of the charges (default 0.2)", "Q"},
                          {"charges", "alternating | random | none (default alternating)", "WORD"},
                          {"disorder", "move each coordinate by up to this (default 0)", "D"},
                          {"vapour", "share of the atoms around the droplet, at random places (default 0)", "SHARE"},
                          {"vapour-radius", "radius of the sphere that holds the vapour", "R"},
                          {"random-seed", "seed of everything random, also of water (default 1)", "S"}});
  add_water_options(options);
  options.add("run",
              {{"units", "real | lj, for a structure without units (default real)", "WORD"},
               {"topology", "topology of molecules (default: STRUCTURE's name with .top, if there is one)", "FILE"},
               {"include", "further folders for #include of the topology", "FOLDER,..."},
               {"define", "words for the topology's preprocessor: NAME or NAME=VALUE", "WORD,..."}});
}

double number(const GivenOptions& options, const std::string& name, double otherwise, Zero zero) {
  return options.has(name) ? real_option(options, name, zero) : otherwise;
}

/// More atoms would need tens of GB before the first number is written.
constexpr double kMostAtoms = 1e8;
/// Larger lengths and charges cannot be those of a droplet, and their powers exceed double precision.
constexpr double kMostLength = 1e9, kMostCharge = 1e6;

void require_possible_size(const DropletRecipe& recipe) {
  const double per_radius3 = 4.0 / 3.0 * std::numbers::pi * recipe.density;
  const double atoms = recipe.atoms ? static_cast<double>(*recipe.atoms) : per_radius3 * std::pow(*recipe.radius, 3);
  if (!(atoms <= kMostAtoms))
    throw UsageError(fmt::format("a droplet of {:.3g} atoms is too large (at most {:.3g})", atoms, kMostAtoms));
  const double radius = recipe.radius.value_or(std::cbrt(atoms / per_radius3));
  for (const auto& [what, length] : {std::pair{"a droplet of radius", radius},
                                     {"a --disorder of", recipe.disorder},
                                     {"a --min-distance of", recipe.min_distance},
                                     {"a --vapour-radius of", recipe.vapour_radius}})
    if (!(length <= kMostLength))
      throw UsageError(fmt::format("{} {:.3g} is too large (at most {:.3g})", what, length, kMostLength));
  if (recipe.charge > kMostCharge)
    throw UsageError(fmt::format("a --charge of {:.3g} is too large (at most {:.3g})", recipe.charge, kMostCharge));
}

void read_vapour(const GivenOptions& options, DropletRecipe& recipe) {
  if (options.has("vapour") != options.has("vapour-radius"))
    throw UsageError("--vapour and --vapour-radius belong together (give both)");
  if (!options.has("vapour")) return;
  if (recipe.radius) throw UsageError("--vapour is a share of --atoms (give --atoms instead of --radius)");
  recipe.vapour = real_option(options, "vapour", Zero::allowed);
  recipe.vapour_radius = real_option(options, "vapour-radius", Zero::excluded);
  if (recipe.vapour >= 1)
    throw UsageError("--vapour " + options.text("vapour") +
                     " is out of range (expected: a share of the atoms, less than 1)");
}

DropletRecipe recipe_of(const GivenOptions& options) {
  DropletRecipe recipe;
  if (options.has("atoms") && options.has("radius"))
    throw UsageError("--atoms and --radius cannot be combined (give one)");
  if (options.has("radius")) {
    recipe.radius = real_option(options, "radius", Zero::excluded);
  } else {
    recipe.atoms = options.has("atoms") ? whole_option<std::size_t>(options, "atoms", 1) : 1000;
  }
  recipe.density = number(options, "density", recipe.density, Zero::excluded);
  recipe.min_distance = number(options, "min-distance", 0, Zero::excluded);
  recipe.charge = number(options, "charge", recipe.charge, Zero::allowed);
  recipe.disorder = number(options, "disorder", 0, Zero::allowed);
  read_vapour(options, recipe);
  if (options.has("lattice")) recipe.lattice = word_option(options, "lattice", kLatticeWords);
  if (options.has("charges")) recipe.charges = word_option(options, "charges", kChargeWords);
  if (options.has("random-seed")) recipe.seed = whole_option<std::uint64_t>(options, "random-seed", 0);
  if (recipe.min_distance > 0 && recipe.lattice != Lattice::random)
    throw UsageError("--min-distance is for --lattice random only (lattices have their spacing from --density)");
  require_possible_size(recipe);
  return recipe;
}

ExitStatus write_droplet_file(const GivenOptions& options, Streams& streams) {
  if (!options.has("output")) throw UsageError("generate needs an output file (-o FILE.drop or -o FILE.xyz)");
  const std::filesystem::path path = options.text("output");
  require_structure_format(path);
  const DropletRecipe recipe = recipe_of(options);
  const Droplet droplet = generate_droplet(recipe);
  const std::size_t n = droplet.particles.size();
  write_structure_file(path,
                       {.particles = droplet.particles,
                        .title = fmt::format("droplet of {} atoms, density {}", n, recipe.density),
                        .radius = droplet.radius},
                       options.has("force"));
  if (options.has("json"))
    streams.out << json_text({{"file", path.string()}, {"n_atoms", n}, {"radius", droplet.radius}});
  else if (!options.has("quiet"))
    streams.out << fmt::format("wrote {}: {} atoms, radius {:.6g}\n", without_commands(path.string()), n,
                               droplet.radius);
  return ExitStatus::done;
}

/// Rejects options that are of no use for what is generated. what: the group of the options that are.
void require_options_of(const std::string& what, const GivenOptions& options) {
  OptionTable table;
  add_options(table);
  for (const OptionTable::Entry& entry : table.entries()) {
    const std::string name = entry.option.long_name();
    const bool in_water_too = name == "radius" || name == "random-seed";
    if (entry.group.empty() || entry.group == what || !options.has(name)) continue;
    if (what == "water" && in_water_too) continue;
    throw UsageError("--" + name + " is for generate " + entry.group + (in_water_too ? " and water" : ""));
  }
}

ExitStatus run(const GivenOptions& options, Streams& streams) {
  const std::vector<std::string> words = options.list("file");
  if (words.empty())
    throw UsageError(
        "generate what? (dropmd generate droplet -o FILE, dropmd generate water --model WORD -o FILE.gro, or dropmd "
        "generate run STRUCTURE -o FILE.toml)");
  const std::string& what = words[0];
  if (what != "run" && what != "droplet" && what != "water")
    throw UsageError("generate: unknown word '" + what + "' " + known_words_hint(what, {"droplet", "water", "run"}));
  require_options_of(what, options);
  if (what == "run") return generate_run(options, {words.begin() + 1, words.end()}, streams);
  if (words.size() > 1)
    throw UsageError("generate " + what + " takes no further word ('" + words[1] + "'; the file goes after -o)");
  return what == "water" ? write_water_files(options, streams) : write_droplet_file(options, streams);
}

}  // namespace

Command generate_command() {
  return {"generate",
          "droplet | water | run FILE",
          "write a starting structure, or a commented run file for one",
          {"dropmd generate droplet --atoms 500 --disorder 0.05 -o small.drop",
           "dropmd generate run inputs/samples/lj-cluster-13.xyz --units lj -o cluster.toml",
           "dropmd generate droplet --radius 12 --lattice random --charges none -o random.xyz",
           "dropmd generate water --model tip4p2005 --waters 500 --ions Na:8 -o water.gro",
           "dropmd generate run water.gro -o water.toml",
           "dropmd generate droplet --atoms 2000 --vapour 0.5 --vapour-radius 60 -o half.drop"},
          add_options,
          run};
}

}  // namespace dropmd
