#include "app/commands/dry_run.h"

#include <fmt/core.h>

#include <array>
#include <cmath>
#include <ostream>
#include <utility>
#include <vector>

#include "app/json_text.h"
#include "app/run_settings.h"
#include "app/shared_options.h"
#include "core/version.h"
#include "engine/jobs/estimate.h"
#include "engine/model/form_catalog.h"
#include "inputs/run_file/resolved_run.h"
#include "inputs/run_file/run_config.h"
#include "inputs/toml/toml_document.h"

namespace dropmd {

namespace {

/// Options besides those of app/run_settings.h that set a key of the run file.
constexpr std::array<std::pair<std::string_view, std::string_view>, 7> kOptionKeys = {
    {{"backend", "engine.backend"},
     {"precision", "engine.precision"},
     {"device", "engine.device"},
     {"threads", "engine.threads"},
     {"neighbor", "neighbor.method"},
     {"steps", "run.steps"},
     {"output", "output.directory"}}};

Json json_of(double value) {  // JSON has no infinity
  if (std::isfinite(value)) return value;
  return value > 0 ? "inf" : "-inf";
}

Json json_of(const TomlValue& value) {
  struct Conversion {
    Json operator()(bool flag) const { return flag; }
    Json operator()(std::int64_t number) const { return number; }
    Json operator()(double number) const { return json_of(number); }
    Json operator()(const std::string& text) const { return text; }
    Json operator()(const std::vector<std::string>& list) const { return Json::List(list.begin(), list.end()); }
    Json operator()(const std::vector<std::int64_t>& list) const { return Json::List(list.begin(), list.end()); }
    Json operator()(const std::vector<double>& list) const {
      Json::List numbers;
      for (const double number : list) numbers.push_back(json_of(number));
      return numbers;
    }
    Json operator()(const TomlOther&) const { return std::optional<double>(); }
  };
  return std::visit(Conversion{}, value);
}

Json::Object json_of(const TomlSection& section) {
  Json::Object object;
  for (const TomlEntry& entry : section.entries) object.push_back({entry.key, json_of(entry.value)});
  return object;
}

Json::List list_of(const TomlDocument& document, std::string_view name) {
  Json::List list;
  for (const TomlSection& item : document.list_items)
    if (item.name == name) list.emplace_back(json_of(item));
  return list;
}

/// Returns the resolved run by sections, as in the run file.
Json::Object run_json(const TomlDocument& resolved) {
  Json::Object run = json_of(resolved.top);
  for (const TomlSection& section : resolved.sections) run.push_back({section.name, json_of(section)});
  for (const char* list : {"species", "pair"})
    if (const Json::List items = list_of(resolved, list); !items.empty()) run.push_back({list, items});
  return run;
}

/// Returns where the values that are not defaults come from: "SECTION.KEY" and the place in the run file, or the
/// option. A structure that runs without a run file has no places in files.
Json::Object sources_json(const RunConfig& config, const GivenOptions& options) {
  Json::Object sources;
  const auto add = [&](const std::string& key, const std::string& place) {
    for (Json::Member& member : sources)
      if (member.name == key) return void(member.value = place);
    sources.push_back({key, place});
  };
  TomlDocument document;
  if (config.file.extension() == ".toml") document = parse_toml(read_text_source(config.file, "a run file"));
  std::vector<Setting> settings = settings_of(options);
  if (options.has("wall"))
    settings.push_back({"wall", "form", options.text("wall"), {"--wall " + options.text("wall")}});
  apply_settings(settings, form_catalog(), document);
  for (const TomlEntry& entry : document.top.entries) add(entry.key, entry.value_place.text());
  for (const TomlSection& section : document.sections)
    for (const TomlEntry& entry : section.entries) add(section.name + '.' + entry.key, entry.value_place.text());
  for (const auto& [option, key] : kOptionKeys)
    if (options.has(option)) add(std::string(key), fmt::format("--{} {}", option, options.text(option)));
  const std::optional<FormChoice> wall = choice_of(config.fields, "wall");
  if (wall && !wall->has("radius")) add("wall.radius", config.structure.string());
  return sources;
}

Json estimate_json(const Estimate& e) {
  Json::Object json{{"n_atoms", e.n_atoms},
                    {"backend", word_of(e.method.backend)},
                    {"device", e.method.device_name},
                    {"precision", word_of(e.method.precision)},
                    {"neighbor", word_of(e.method.neighbor)},
                    {"memory_bytes", e.memory},
                    {"device_memory_bytes", e.device_memory},
                    {"disk_bytes", e.disk}};
  const auto timed = [](double seconds) { return seconds > 0 ? std::optional(seconds) : std::nullopt; };
  json.push_back({"seconds_per_step", timed(e.seconds_per_step)});
  json.push_back({"seconds", timed(e.seconds)});
  if (!e.mesh.empty()) json.push_back({"mesh", Json::List(e.mesh.begin(), e.mesh.end())});
  if (e.maps > 0) {
    json.push_back({"maps", e.maps});
    json.push_back({"seconds_per_map", timed(e.seconds_per_map)});
  }
  return json;
}

}  // namespace

ExitStatus dry_run(const RunConfig& config, const GivenOptions& options, Streams& streams) {
  const Estimate estimate = estimate_run(config);
  show_warnings(estimate.warnings, options, streams);
  RunConfig shown = config;
  shown.fields = estimate.fields;
  const std::string resolved = resolved_run_toml(shown, estimate.invariance);
  if (!options.has("json")) {
    streams.out << resolved << '\n' << describe(estimate);
    return ExitStatus::done;
  }
  streams.out << json_text({{"run", run_json(parse_toml({config.file.string(), resolved}))},
                            {"sources", sources_json(config, options)},
                            {"estimate", estimate_json(estimate)},
                            {"version", kVersion}});
  return ExitStatus::done;
}

}  // namespace dropmd
