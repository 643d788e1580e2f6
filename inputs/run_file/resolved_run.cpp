#include "inputs/run_file/resolved_run.h"

#include <fmt/core.h>

#include <algorithm>
#include <filesystem>
#include <string>
#include <type_traits>
#include <vector>

#include "inputs/run_file/choice_words.h"
#include "inputs/run_file/number_tables.h"
#include "inputs/run_file/sections/coulomb_section.h"
#include "inputs/text_source.h"

namespace dropmd {

std::string toml_string(std::string_view text) {
  std::string quoted = "\"";
  for (const char c : as_utf8(text)) {
    const auto code = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\')
      quoted += {'\\', c};
    else if (code < 0x20 || code == 0x7F)
      quoted += fmt::format("\\u{:04X}", code);
    else
      quoted += c;
  }
  return quoted + '"';
}

namespace {

/// Writes sections and `key = value` lines.
class TomlWriter {
 public:
  void section(std::string_view header) { line("\n{}", header); }
  void text(std::string_view key, std::string_view value) { line("{} = {}", key, toml_string(value)); }
  void whole(std::string_view key, std::int64_t value) { line("{} = {}", key, value); }
  void number(std::string_view key, double value) { line("{} = {}", key, value); }
  void number(std::string_view key, const std::optional<double>& value) {
    if (value) number(key, *value);
  }
  /// Writes the numbers of a table (inputs/run_file/number_tables.h) that have a value.
  template <class Table, class Holder>
  void numbers(const Table& table, const Holder& holder) {
    for_each_number(table, [&](const auto& setting) {
      const auto& value = holder.*setting.member;
      if constexpr (std::is_integral_v<std::remove_cvref_t<decltype(value)>>)
        line("{} = {}", setting.key, value);
      else
        number(setting.key, value);
    });
  }
  void names(std::string_view key, const std::vector<std::string>& names) {
    std::string list;
    for (const std::string& name : names) list += (list.empty() ? "" : ", ") + toml_string(name);
    line("{} = [{}]", key, list);
  }
  void boolean(std::string_view key, bool value) { line("{} = {}", key, value); }
  template <class Number>
  void vector(std::string_view key, const Vec3<Number>& value) {
    line("{} = [{}, {}, {}]", key, value.x, value.y, value.z);
  }
  void form(std::string_view word_key, const FormChoice& choice) {
    text(word_key, choice.form);
    for (const auto& [key, value] : choice.values) {
      const std::string_view name = std::string_view(key).substr(0, key.size() - std::min<std::size_t>(2, key.size()));
      if (key.ends_with(".x"))
        vector(name, choice.vector_at(name));
      else if (!key.ends_with(".y") && !key.ends_with(".z"))
        number(key, value);
    }
  }
  std::string take() { return std::move(toml_); }

 private:
  template <class... Values>
  void line(fmt::format_string<const Values&...> format, const Values&... values) {
    toml_ += fmt::format(format, values...) + '\n';
  }

  std::string toml_;
};

void write_van_der_waals(TomlWriter& out, const RunConfig& config) {
  const bool with_lennard_jones = config.lennard_jones.has_value();
  if (with_lennard_jones) {
    out.section("[lennard-jones]");
    out.numbers(kLennardJonesNumbers<LennardJonesConfig>, *config.lennard_jones);
    out.form("at-cutoff", config.lennard_jones->treatment);
    if (!config.topology.given()) out.text("mixing", word_of_value(kMixingWords, config.lennard_jones->mixing));
  }
  if (config.born_mayer) {
    out.section("[born-mayer]");
    if (config.born_mayer->values) out.numbers(kBornMayerNumbers, *config.born_mayer->values);
    out.form("at-cutoff", config.born_mayer->treatment);
  }
  for (const SpeciesConfig& species : config.species) {
    out.section("[[species]]");
    out.text("name", species.name);
    out.numbers(kSpeciesNumbers, species);
    if (with_lennard_jones) out.numbers(kLennardJonesNumbers<SpeciesConfig>, species);
  }
  for (const PairConfig& pair : config.pairs) {
    out.section("[[pair]]");
    out.names("species", {pair.first, pair.second});
    if (config.born_mayer)
      out.numbers(kBornMayerNumbers, pair.born_mayer);
    else
      out.numbers(kLennardJonesNumbers<PairConfig>, pair);
  }
}

std::string absolute_text(const std::filesystem::path& path) {
  return std::filesystem::absolute(path).lexically_normal().string();
}

void write_topology(TomlWriter& out, const TopologySettings& topology) {
  if (!topology.given()) return;
  out.text("topology", absolute_text(topology.file));
  std::vector<std::string> folders;
  for (const std::filesystem::path& folder : topology.include) folders.push_back(absolute_text(folder));
  if (!folders.empty()) out.names("include", folders);
  if (!topology.define.empty()) out.names("define", topology.define);
  out.numbers(kTopologyNumbers, topology);
}

void write_optional_form(TomlWriter& out, std::string_view section, const std::optional<FormChoice>& choice) {
  out.section(section);
  out.form("form", choice.value_or(FormChoice{"none"}));
}

void write_coulomb(TomlWriter& out, const RunConfig& config) {
  write_optional_form(out, "[coulomb]", config.coulomb);
  if (!config.coulomb || config.coulomb->form != kExactCoulomb) return;
  out.text("method", word_of_value(kCoulombMethodWords, config.coulomb_settings.method));
  out.numbers(kCoulombNumbers, config.coulomb_settings);
}

/// Writes the wall even if there is none, since users look for it; other fields only if the run has them.
void write_fields(TomlWriter& out, const FormChoices& fields) {
  write_optional_form(out, "[wall]", choice_of(fields, "wall"));
  for (const auto& [name, choice] : fields)
    if (name != "wall") write_optional_form(out, fmt::format("[{}]", name), choice);
}

void write_run(TomlWriter& out, const RunConfig& config, const Invariance& terms) {
  out.section("[run]");
  out.numbers(kRunNumbers, config);
  out.text("recenter", word_of_value(kRecenterWords, recentring(config, terms)));
  out.text("remove-momentum", word_of_value(kRemoveMomentumWords, config.remove_momentum));
}

void write_output(TomlWriter& out, const RunConfig& config) {
  out.section("[output]");
  out.text("directory", config.output_directory.string());
  out.numbers(kOutputNumbers, config);
  out.text("trajectory", config.trajectory_file);
  out.text("final", config.final_file);
}

void write_droplet(TomlWriter& out, DropletSettings droplet, UnitSystem units) {
  out.section("[droplet]");
  droplet.link_distance = link_distance(droplet, units);
  out.numbers(kDropletNumbers, droplet);
}

void write_map(TomlWriter& out, const MapConfig& map) {
  const MapChoices& choices = map.choices;
  const Vec3<double>& spacing = choices.spacing;
  out.section("[map]");
  out.whole("every", map.every);
  if (spacing == Vec3<double>{spacing.x, spacing.x, spacing.x})
    out.number("spacing", spacing.x);
  else
    out.vector("spacing", spacing);
  if (choices.points) {
    out.vector("origin", choices.origin.value_or(Vec3<double>{}));
    out.vector("points", *choices.points);
  } else {
    out.number("padding", choices.padding);
  }
  out.text("method", word_of_value(kMapMethodWords, choices.method()));
  if (choices.method() == MapMethod::cutoff) out.form("form", choices.coulomb);
  out.number("accuracy", choices.accuracy);
  out.number("nearest", choices.nearest);
  out.text("unit", word_of_value(kMapUnitWords, choices.unit));
  out.number("temperature", choices.temperature);
  out.boolean("average", map.average);
  out.text("file", map.file);
}

}  // namespace

std::string resolved_run_toml(const RunConfig& config, const Invariance& terms) {
  TomlWriter out;
  out.text("title", config.title);
  out.text("units", word_of_value(kUnitWords, config.units));

  out.section("[system]");
  out.text("structure", absolute_text(config.structure));
  out.numbers(kSystemNumbers, config);
  write_topology(out, config.topology);

  write_van_der_waals(out, config);
  write_coulomb(out, config);
  write_fields(out, config.fields);
  if (config.topology.given()) {
    out.section("[constraints]");
    out.text("bonds", word_of_value(kBondConstraintWords, config.topology.bonds));
  }

  out.section("[neighbor]");
  out.text("method", word_of_value(kNeighborWords, config.neighbor));
  if (config.skin)
    out.number("skin", *config.skin);
  else
    out.text("skin", "auto");
  out.boolean("tune", config.tune);

  out.section("[engine]");
  out.text("backend", word_of_value(kBackendWords, config.backend));
  out.text("precision", word_of_value(kPrecisionWords, config.precision));
  out.numbers(kEngineNumbers, config);

  out.section("[integrator]");
  out.form("form", config.integrator);
  if (config.bath_acts_on_part()) out.text("applies-to", config.applies_to);
  write_run(out, config, terms);
  if (config.droplet) write_droplet(out, *config.droplet, config.units);
  write_output(out, config);
  if (config.map) write_map(out, *config.map);
  return out.take();
}

}  // namespace dropmd
