#include <fmt/format.h>

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
#include "outputs/structure_file.h"

namespace dropmd {

namespace {

using Lattice = DropletRecipe::Lattice;
using Charges = DropletRecipe::Charges;

constexpr std::array<ChoiceWord<Lattice>, 3> kLatticeWords = {
    {{"fcc", Lattice::fcc}, {"sc", Lattice::sc}, {"random", Lattice::random}}};
constexpr std::array<ChoiceWord<Charges>, 3> kChargeWords = {
    {{"alternating", Charges::alternating}, {"random", Charges::random}, {"none", Charges::none}}};

void add_options(cxxopts::Options& options) {
  add_file_argument(options);
  add_common_options(options);
  const auto text = [] { return cxxopts::value<std::string>(); };
  options.add_options("droplet")("atoms", "number of atoms (default 1000)", text(), "N")(
      "radius", "radius instead of a number of atoms", text(), "R")(
      "density", "atoms per volume (default 0.07)", text(), "D")("lattice", "fcc | sc | random (default sc)", text(),
                                                                 "WORD")(
      "min-distance", "smallest distance, random lattice only (default 0.8 mean spacings)", text(), "D")(
      "charge", "magnitude of the charges (default 0.2)", text(), "Q")(
      "charges", "alternating | random | none (default alternating)", text(), "WORD")(
      "disorder", "move each coordinate by up to this (default 0)", text(), "D")(
      "random-seed", "seed of disorder, places and charges (default 1)", text(), "S");
}

double number(const cxxopts::ParseResult& options, const std::string& name, double otherwise, Zero zero) {
  return options.count(name) > 0 ? real_option(options, name, zero) : otherwise;
}

/// More would need tens of GB before the first number is written.
constexpr double kMostAtoms = 1e8;

void require_possible_size(const DropletRecipe& recipe) {
  const double atoms = recipe.atoms ? static_cast<double>(*recipe.atoms)
                                    : 4.0 / 3.0 * std::numbers::pi * std::pow(*recipe.radius, 3) * recipe.density;
  if (atoms > kMostAtoms)
    throw UsageError(fmt::format("a droplet of {:.3g} atoms is too large (at most {:.3g})", atoms, kMostAtoms));
}

DropletRecipe recipe_of(const cxxopts::ParseResult& options) {
  DropletRecipe recipe;
  if (options.count("atoms") > 0 && options.count("radius") > 0)
    throw UsageError("--atoms and --radius exclude each other (give one)");
  if (options.count("radius") > 0) {
    recipe.radius = real_option(options, "radius", Zero::excluded);
  } else {
    recipe.atoms = options.count("atoms") > 0 ? whole_option<std::size_t>(options, "atoms", 1) : 1000;
  }
  recipe.density = number(options, "density", recipe.density, Zero::excluded);
  recipe.min_distance = number(options, "min-distance", 0, Zero::excluded);
  recipe.charge = number(options, "charge", recipe.charge, Zero::allowed);
  recipe.disorder = number(options, "disorder", 0, Zero::allowed);
  if (options.count("lattice") > 0) recipe.lattice = word_option(options, "lattice", kLatticeWords);
  if (options.count("charges") > 0) recipe.charges = word_option(options, "charges", kChargeWords);
  if (options.count("random-seed") > 0) recipe.seed = whole_option<std::uint64_t>(options, "random-seed", 0);
  if (recipe.min_distance > 0 && recipe.lattice != Lattice::random)
    throw UsageError("--min-distance is for --lattice random only (lattices have their spacing from --density)");
  require_possible_size(recipe);
  return recipe;
}

ExitStatus run(const cxxopts::ParseResult& options, Streams& streams) {
  const std::filesystem::path what = input_file(options, "generate");
  if (what != "droplet") throw UsageError("generate: unknown structure '" + what.string() + "' (known: droplet)");
  if (options.count("output") == 0) throw UsageError("generate needs an output file (-o FILE.drop or -o FILE.xyz)");
  const std::filesystem::path path = options["output"].as<std::string>();
  require_structure_format(path);
  const DropletRecipe recipe = recipe_of(options);
  const Droplet droplet = generate_droplet(recipe);
  const std::size_t n = droplet.particles.size();
  write_structure_file(path,
                       {.particles = droplet.particles,
                        .units = kLjUnits,
                        .title = fmt::format("droplet of {} atoms, density {}", n, recipe.density),
                        .radius = droplet.radius},
                       options.count("force") > 0);
  if (options.count("json") > 0)
    streams.out << json_text({{"file", path.string()}, {"n_atoms", n}, {"radius", droplet.radius}});
  else if (options.count("quiet") == 0)
    streams.out << fmt::format("wrote {}: {} atoms, radius {:.6g}\n", path.string(), n, droplet.radius);
  return ExitStatus::done;
}

}  // namespace

Command generate_command() {
  return {"generate",
          "droplet",
          "write a starting structure",
          {"dropmd generate droplet --atoms 500 --disorder 0.05 -o small.drop",
           "dropmd generate droplet --radius 12 --lattice random --charges none -o random.xyz"},
          add_options,
          run};
}

}  // namespace dropmd
