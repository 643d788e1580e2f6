#include "app/map_options.h"

#include <fmt/core.h>

#include <charconv>
#include <cmath>

#include "app/option_values.h"
#include "app/shared_options.h"
#include "inputs/run_file/run_config.h"
#include "maps/map_model.h"

namespace dropmd {

namespace {

/// Parses "1.5,2,-3".
Vec3<double> vector_option(const GivenOptions& options, const std::string& name) {
  const std::vector<std::string> words = options.list(name);
  const auto number = [&](const std::string& word) {
    double value = 0;
    const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value);
    if (error != std::errc{} || end != word.data() + word.size() || !std::isfinite(value))
      throw UsageError(fmt::format("--{}: '{}' is not a number", name, word));
    return value;
  };
  if (words.size() != 3)
    throw UsageError(fmt::format("--{} needs three numbers separated by commas, such as --{}=1,2,3", name, name));
  return {number(words[0]), number(words[1]), number(words[2])};
}

/// Parses --spacing: one length for all axes, or three.
Vec3<double> spacing_option(const GivenOptions& options) {
  const std::vector<double> lengths = real_options(options, "spacing");
  if (lengths.size() == 1) return {lengths[0], lengths[0], lengths[0]};
  if (lengths.size() != 3)
    throw UsageError("--spacing needs one number or three numbers separated by commas, such as --spacing=1,1,2");
  return {lengths[0], lengths[1], lengths[2]};
}

Vec3<std::int32_t> points_option(const GivenOptions& options) {
  const std::vector<std::string> words = options.list("points");
  if (words.size() != 3) throw UsageError("--points needs three whole numbers, such as --points 64,64,32");
  return {whole_number<std::int32_t>("points", words[0], 1), whole_number<std::int32_t>("points", words[1], 1),
          whole_number<std::int32_t>("points", words[2], 1)};
}

/// Returns the form with the keys of the command line; other keys are those of `usual` or the form's defaults.
FormChoice form_with_keys(const GivenOptions& options, const Units& units, const FormInfo& form,
                          const FormChoice& usual) {
  FormChoice choice{std::string(form.name)};
  for (const std::string name : {"cutoff", "dielectric"}) {
    const FormKey* key = nullptr;
    for (const FormKey& k : form.keys)
      if (k.name == name) key = &k;
    if (key == nullptr) {
      if (options.has(name)) throw UsageError(fmt::format("--{} is of no use with the form {}", name, form.name));
    } else if (options.has(name)) {
      choice.values[name] =
          options.text(name) == "inf" && key->infinity_allowed ? INFINITY : real_option(options, name, Zero::excluded);
    } else if (usual.has(name)) {
      choice.values[name] = usual.at(name);
    } else if (const auto otherwise = key->default_in(units.system)) {
      choice.values[name] = *otherwise;
    } else {
      choice.values[name] = default_map_lengths(units.system).cutoff;
    }
  }
  return choice;
}

/// Returns the method that the options name or imply; else the usual one.
MapMethod map_method(const GivenOptions& options, MapMethod usual) {
  if (options.has("method")) return word_option(options, "method", kMapMethodWords);
  if (options.has("form") || options.has("cutoff")) return MapMethod::cutoff;
  return options.has("accuracy") ? MapMethod::mesh : usual;
}

std::optional<double> accuracy_choice(const GivenOptions& options, MapMethod method,
                                      const std::optional<double>& usual) {
  if (method != MapMethod::mesh) {
    if (options.has("accuracy"))
      throw UsageError(fmt::format("--accuracy is of no use with --method {}", word_of_value(kMapMethodWords, method)));
    return std::nullopt;
  }
  if (!options.has("accuracy")) return usual.value_or(kUsualMapAccuracy);
  return real_option(options, "accuracy", Zero::excluded);
}

FormChoice coulomb_choice(const GivenOptions& options, const Units& units, MapMethod method, const FormChoice& usual) {
  const bool was_cutoff = usual.form != "exact";
  if (method != MapMethod::cutoff) {
    for (const char* const name : {"form", "cutoff", "dielectric"})
      if (options.has(name))
        throw UsageError(
            fmt::format("--{} is of no use with --method {}", name, word_of_value(kMapMethodWords, method)));
    return {"exact", {}};
  }
  const std::string word = options.has("form") ? options.text("form") : was_cutoff ? usual.form : "shift";
  const FormList forms = map_forms();
  std::vector<std::string_view> known;
  for (const FormInfo& form : forms) {
    if (form.name == "exact") continue;
    if (form.name == word) return form_with_keys(options, units, form, usual);
    known.push_back(form.name);
  }
  throw UsageError("--form: unknown word '" + word + "' " + known_words_hint(word, known));
}

}  // namespace

MapChoices usual_map_choices(const RunConfig& config) {
  if (config.map) return config.map->choices;
  const MapLengths lengths = default_map_lengths(config.units);
  MapChoices choices;
  choices.spacing = {lengths.spacing, lengths.spacing, lengths.spacing};
  choices.padding = lengths.padding;
  choices.nearest = lengths.nearest;
  return choices;
}

void add_grid_options(OptionTable& options) {
  options.add("map",
              {{"method", "direct (exact, default) | mesh | cutoff (default of all: the run file's [map])", "WORD"},
               {"accuracy", "for mesh: RMS error over RMS potential (default 1e-4)", "A"},
               {"cutoff", "distance up to which charges count (default 12, lj 5)", "R"},
               {"form", "shift (default) | cut | smoothed | reaction-field", "WORD"},
               {"dielectric", "for reaction-field, 'inf' for a conductor (default 1)", "D"},
               {"spacing", "of the grid, one for all axes or three (default 0.5, lj 0.2)", "H,..."},
               {"padding", "of the grid around the atoms (default 5, lj 2; ions: that beyond --distance)", "D"},
               {"origin", "first point of the grid, with --points (default 0,0,0)", "X,Y,Z"},
               {"points", "along each axis, instead of --padding", "NX,NY,NZ"},
               {"nearest", "atoms nearer to a point count as this far (default 0.1, lj 0.04)", "D"}});
}

void add_map_options(OptionTable& options) {
  add_grid_options(options);
  options.add("map", {{"unit", "energy (per charge, default) | kT | V", "WORD"},
                      {"temperature", "for the unit kT", "T"},
                      {"field", "also the electric field; its file is a .vti"}});
}

MapChoices map_choices(const GivenOptions& options, const Units& units, MapChoices usual) {
  MapChoices choices = std::move(usual);
  const MapMethod method = map_method(options, choices.method());
  choices.accuracy = accuracy_choice(options, method, choices.accuracy);
  choices.coulomb = coulomb_choice(options, units, method, choices.coulomb);
  if (options.has("spacing")) choices.spacing = spacing_option(options);
  if (options.has("padding") && options.has("points"))
    throw UsageError("--padding and --points cannot be combined (give one)");
  if (options.has("padding")) {
    choices.padding = real_option(options, "padding", Zero::allowed);
    choices.points.reset();
    choices.origin.reset();
  }
  if (options.has("points")) choices.points = points_option(options);
  if (options.has("origin")) {
    if (!choices.points)
      throw UsageError("--origin needs --points (or leave it out: the grid is put around the atoms)");
    choices.origin = vector_option(options, "origin");
  }
  if (options.has("nearest")) choices.nearest = real_option(options, "nearest", Zero::excluded);
  if (options.has("unit")) choices.unit = word_option(options, "unit", kMapUnitWords);
  if (options.has("temperature")) choices.temperature = real_option(options, "temperature", Zero::excluded);
  if (options.has("temperature") && choices.unit != MapUnit::thermal)
    throw UsageError("--temperature is of no use without --unit kT");
  if (options.has("field")) choices.field = true;
  return choices;
}

}  // namespace dropmd
