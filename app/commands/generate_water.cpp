#include "app/commands/generate_water.h"

#include <fmt/core.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <filesystem>
#include <ostream>
#include <string>
#include <string_view>
#include <vector>

#include "app/json_text.h"
#include "app/option_values.h"
#include "app/shared_options.h"
#include "core/rayleigh_limit.h"
#include "core/terminal_text.h"
#include "engine/jobs/water/generate_water.h"
#include "inputs/nearest_word.h"
#include "inputs/water/joung_cheatham.h"
#include "inputs/water/water_model.h"
#include "outputs/files/atomic_file.h"
#include "outputs/files/require_free.h"
#include "outputs/structures/structure_file.h"

namespace dropmd {

namespace {

namespace fs = std::filesystem;

/// More would need tens of GB.
constexpr double kMostMolecules = 1e7;
constexpr std::size_t kUsualWaters = 1000;
/// Ten times as many as GROMACS usually has: bond lengths are then those of the model to 1e-8 Å.
constexpr int kDecimals = 9;

const WaterModel& model_of(const GivenOptions& options) {
  std::vector<std::string_view> known;
  for (const WaterModel& model : water_models()) known.push_back(model.name);
  if (!options.has("model")) throw UsageError("generate water needs a water model (--model " + joined(known) + ")");
  const std::string& word = options.text("model");
  for (const WaterModel& model : water_models())
    if (model.name == word) return model;
  // Models with similar names differ in their physics: only a name that is cut short has a likely meaning.
  const auto meant = only_completion(word, known);
  throw UsageError("--model: unknown water '" + word + "' (known: " + joined(known) +
                   (meant ? "; did you mean '" + std::string(*meant) + "'?" : "") + ")");
}

/// Reads NAME:COUNT.
IonCount ion_of(const std::string& entry, IonSet set) {
  const std::size_t colon = entry.find(':');
  if (colon == std::string::npos)
    throw UsageError("--ions: '" + entry + "' is not an ion and a number (such as Na:10,Cl:2)");
  const std::string name = entry.substr(0, colon), count = entry.substr(colon + 1);
  const std::optional<IonModel> ion = ion_named(name, set);
  if (!ion) throw UsageError("--ions: unknown ion '" + name + "' " + known_words_hint(name, ion_names()));
  std::size_t number = 0;
  const auto [end, error] = std::from_chars(count.data(), count.data() + count.size(), number);
  if (error != std::errc{} || end != count.data() + count.size() || number == 0)
    throw UsageError("--ions: '" + count + "' is not a number of " + name + " (at least 1, such as " + name + ":10)");
  if (static_cast<double>(number) > kMostMolecules)
    throw UsageError(fmt::format("--ions: {} {} are too many (at most {:.3g} molecules)", count, name, kMostMolecules));
  return {*ion, number};
}

std::vector<IonCount> ions_of(const GivenOptions& options, IonSet set) {
  std::vector<IonCount> ions;
  for (const std::string& entry : options.list("ions")) {
    ions.push_back(ion_of(entry, set));
    for (std::size_t k = 0; k + 1 < ions.size(); ++k)
      if (ions[k].ion.name == ions.back().ion.name)
        throw UsageError(fmt::format("--ions names {} twice (give the sum)", ions[k].ion.name));
  }
  return ions;
}

/// Returns the number of waters that fill the sphere beside the ions.
std::size_t waters_in(double radius, std::size_t n_ions) {
  const double molecules = liquid_molecules(radius);
  if (!(molecules <= kMostMolecules))
    throw UsageError(fmt::format("--radius {:.6g} A holds {:.3g} molecules, which are too many (at most {:.3g})",
                                 radius, molecules, kMostMolecules));
  const double waters = std::round(molecules) - static_cast<double>(n_ions);
  if (waters < 1)
    throw UsageError(fmt::format(
        "--radius {:.6g} A holds {:.0f} molecules at the liquid's density: no water fits together with {} ions (give a "
        "radius of at least {:.2f} A, or --waters)",
        radius, std::round(molecules), n_ions, liquid_radius(static_cast<double>(n_ions) + 1)));
  return static_cast<std::size_t>(waters);
}

void require_possible_density(const WaterRecipe& recipe) {
  const auto molecules = static_cast<double>(recipe.composition.molecules());
  const double density = molecules / liquid_molecules(recipe.radius);
  if (density <= kLargestRelativeDensity) return;
  const double least = liquid_radius(molecules / kLargestRelativeDensity);
  throw UsageError(fmt::format(
      "--radius {:.6g} A is too small for {} molecules: {:.2f} of the liquid's density (at most {}; a radius of "
      "{:.2f} A has the liquid's density, the smallest possible is {:.2f} A)",
      recipe.radius, recipe.composition.molecules(), density, kLargestRelativeDensity, liquid_radius(molecules),
      std::ceil(100 * least) / 100));
}

WaterRecipe recipe_of(const GivenOptions& options) {
  WaterRecipe recipe;
  WaterComposition& composition = recipe.composition;
  composition.model = model_of(options);
  composition.ions = ions_of(options, composition.model.ions);
  const std::size_t n_ions = composition.molecules();
  if (options.has("radius")) recipe.radius = real_option(options, "radius", Zero::excluded);
  composition.waters = options.has("waters")   ? whole_option<std::size_t>(options, "waters", 1)
                       : options.has("radius") ? waters_in(recipe.radius, n_ions)
                                               : kUsualWaters;
  const auto molecules = static_cast<double>(composition.waters) + static_cast<double>(n_ions);
  if (molecules > kMostMolecules)
    throw UsageError(
        fmt::format("a droplet of {:.3g} molecules is too large (at most {:.3g})", molecules, kMostMolecules));
  if (!options.has("radius")) recipe.radius = liquid_radius(molecules);
  require_possible_density(recipe);
  if (options.has("random-seed")) recipe.seed = whole_option<std::uint64_t>(options, "random-seed", 0);
  return recipe;
}

/// Returns "1000 waters (SPC/E), 10 Na, 2 Cl".
std::string contents_text(const WaterComposition& composition) {
  std::string text = fmt::format("{} {} ({})", composition.waters, composition.waters == 1 ? "water" : "waters",
                                 composition.model.title);
  for (const IonCount& kind : composition.ions) text += fmt::format(", {} {}", kind.count, kind.ion.name);
  return text;
}

struct Charge {
  double net, limit;
  bool above() const { return std::abs(net) > limit; }
};

std::string charge_text(const Charge& charge) {
  return charge.net == 0 ? "neutral"
                         : fmt::format("net charge {:+g} e, {:.2f} of Rayleigh's limit of {:.1f} e", charge.net,
                                       std::abs(charge.net) / charge.limit, charge.limit);
}

Json json_of(const WaterRecipe& recipe, const Charge& charge, const fs::path& structure, const fs::path& topology) {
  Json::Object ions;
  for (const IonCount& kind : recipe.composition.ions)
    ions.push_back({std::string(kind.ion.name), std::uint64_t{kind.count}});
  return Json::Object{{"file", structure.string()},
                      {"topology", topology.string()},
                      {"n_atoms", recipe.composition.atoms()},
                      {"radius", recipe.radius},
                      {"model", recipe.composition.model.name},
                      {"waters", recipe.composition.waters},
                      {"ions", ions},
                      {"net_charge", charge.net},
                      {"rayleigh_limit", charge.limit}};
}

}  // namespace

void add_water_options(OptionTable& options) {
  options.add("water", {{"waters", "number of waters (default 1000, or as many as --radius holds)", "N"},
                        {"model", "spce | tip3p | tip4p2005", "WORD"},
                        {"ions", "ions and their numbers: Na:10,Cl:2", "NAME:N,..."}});
}

ExitStatus write_water_files(const GivenOptions& options, Streams& streams) {
  if (!options.has("output")) throw UsageError("generate water needs an output file (-o FILE.gro)");
  const fs::path structure = options.text("output");
  if (structure.extension() != ".gro")
    throw UsageError("-o " + structure.string() + ": the structure of a water droplet is a .gro file (-o FILE.gro)");
  const fs::path topology = fs::path(structure).replace_extension(".top");
  const WaterRecipe recipe = recipe_of(options);
  const bool overwrite = options.has("force");
  require_free({structure, topology}, {}, overwrite);

  const WaterComposition& composition = recipe.composition;
  const Charge charge{composition.charge(), rayleigh_limit(recipe.radius, composition.model.surface_tension)};
  const std::string contents = contents_text(composition), title = "droplet of " + contents;
  if (charge.above())
    show_warnings(
        {fmt::format("the net charge of {:+g} e is above Rayleigh's limit of {:.1f} e: the droplet will eject "
                     "ions (fewer --ions of one sign, or more --waters)",
                     charge.net, charge.limit)},
        options, streams);
  const GeneratedWater droplet = generate_water(recipe);
  write_structure_file(structure,
                       {.particles = droplet.particles,
                        .units = &kRealUnits,
                        .title = title,
                        .names = &droplet.names,
                        .gro_decimals = kDecimals},
                       overwrite);
  write_atomically(topology, overwrite, [&](FileWriter& writer) { writer.write(water_topology(composition, title)); });
  if (options.has("json")) {
    streams.out << json_text(json_of(recipe, charge, structure, topology));
  } else if (!options.has("quiet")) {
    streams.out << fmt::format(
        "wrote {} and {}: {}; {} atoms\n  radius {:.2f} A, {:.2f} of the liquid's density; {}\n"
        "  next: dropmd generate run {} -o {}\n",
        without_commands(structure.string()), without_commands(topology.string()), contents, composition.atoms(),
        recipe.radius, static_cast<double>(composition.molecules()) / liquid_molecules(recipe.radius),
        charge_text(charge), shell_word(structure.string()),
        shell_word(fs::path(structure).replace_extension(".toml").string()));
  }
  return ExitStatus::done;
}

}  // namespace dropmd
