#include <fmt/core.h>

#include <array>
#include <cmath>
#include <numbers>
#include <ostream>

#include "app/json_text.h"
#include "app/option_values.h"
#include "app/shared_options.h"
#include "engine/generate_droplet.h"
#include "inputs/choice_words.h"
#include "inputs/nearest_word.h"
#include "inputs/text_source.h"
#include "outputs/structure_file.h"

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
                          {"radius", "radius instead of a number of atoms", "R"},
                          {"density", "atoms per volume (default 0.07)", "D"},
                          {"lattice", "fcc | sc | random (default sc)", "WORD"},
                          {"min-distance", "smallest distance, random lattice only (default 0.8 mean spacings)", "D"},
                          {"charge", "magnitude of the charges (default 0.2)", "Q"},
                          {"charges", "alternating | random | none (default alternating)", "WORD"},
                          {"disorder", "move each coordinate by up to this (default 0)", "D"},
                          {"vapour", "share of the atoms round the droplet, at random places (default 0)", "SHARE"},
                          {"vapour-radius", "radius of the sphere that holds the vapour", "R"},
                          {"random-seed", "seed of disorder, places and charges (default 1)", "S"}});
}

double number(const GivenOptions& options, const std::string& name, double otherwise, Zero zero) {
  return options.has(name) ? real_option(options, name, zero) : otherwise;
}

/// More would need tens of GB before the first number is written.
constexpr double kMostAtoms = 1e8;

void require_possible_size(const DropletRecipe& recipe) {
  const double atoms = recipe.atoms ? static_cast<double>(*recipe.atoms)
                                    : 4.0 / 3.0 * std::numbers::pi * std::pow(*recipe.radius, 3) * recipe.density;
  if (atoms > kMostAtoms)
    throw UsageError(fmt::format("a droplet of {:.3g} atoms is too large (at most {:.3g})", atoms, kMostAtoms));
}

void read_vapour(const GivenOptions& options, DropletRecipe& recipe) {
  if (options.has("vapour") != options.has("vapour-radius"))
    throw UsageError("--vapour and --vapour-radius belong together (give both)");
  if (!options.has("vapour")) return;
  if (recipe.radius) throw UsageError("--vapour is a share of --atoms (give these instead of --radius)");
  recipe.vapour = real_option(options, "vapour", Zero::allowed);
  recipe.vapour_radius = real_option(options, "vapour-radius", Zero::excluded);
  if (recipe.vapour >= 1)
    throw UsageError("--vapour " + options.text("vapour") + " is out of range (a share of the atoms, less than 1)");
}

DropletRecipe recipe_of(const GivenOptions& options) {
  DropletRecipe recipe;
  if (options.has("atoms") && options.has("radius"))
    throw UsageError("--atoms and --radius exclude each other (give one)");
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

ExitStatus run(const GivenOptions& options, Streams& streams) {
  const std::filesystem::path what = input_file(options, "generate");
  if (what != "droplet") throw UsageError("generate: unknown structure '" + what.string() + "' (known: droplet)");
  if (!options.has("output")) throw UsageError("generate needs an output file (-o FILE.drop or -o FILE.xyz)");
  const std::filesystem::path path = options.text("output");
  require_structure_format(path);
  const DropletRecipe recipe = recipe_of(options);
  const Droplet droplet = generate_droplet(recipe);
  const std::size_t n = droplet.particles.size();
  write_structure_file(path,
                       {.particles = droplet.particles,
                        .units = kLjUnits,
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

}  // namespace

Command generate_command() {
  return {"generate",
          "droplet",
          "write a starting structure",
          {"dropmd generate droplet --atoms 500 --disorder 0.05 -o small.drop",
           "dropmd generate droplet --radius 12 --lattice random --charges none -o random.xyz",
           "dropmd generate droplet --atoms 2000 --vapour 0.5 --vapour-radius 60 -o half.drop"},
          add_options,
          run};
}

}  // namespace dropmd
