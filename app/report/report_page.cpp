#include "app/report/report_page.h"

#include <fmt/core.h>

#include <functional>
#include <string_view>
#include <utility>

#include "app/json_text.h"
#include "app/report/frame_json.h"
#include "app/report/html_text.h"
#include "app/report/page_sources.h"
#include "app/report/page_template.h"
#include "app/report/run_facts.h"
#include "app/report/run_folder.h"
#include "app/report/run_tables.h"
#include "app/report/state_json.h"
#include "app/report/timings_json.h"
#include "core/errors.h"
#include "inputs/csv_reader.h"

namespace dropmd {

namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMostRows = 4000;  // of a table; more than there are pixels across a screen
constexpr std::size_t kMostListedEvents = 200;
constexpr std::size_t kMostProfiles = 60;

/// Collects the parts of a report.
class Parts {
 public:
  /// Adds a part. make: returns it; if it throws an Error, the part is left out. what: the part in words, which begins
  /// a sentence.
  void add(const std::string& name, std::string_view what, const std::function<Json()>& make) {
    try {
      data_.push_back({name, make()});
      names_.push_back(name);
    } catch (const Error& error) {
      leave_out(what, error.what());
    }
  }
  void leave_out(std::string_view what, std::string_view reason) {
    left_out_.push_back(fmt::format("{}: {}.", what, reason));
  }
  /// Leaves out something that should be there: its file is damaged.
  void warn(std::string_view what, std::string_view reason) {
    leave_out(what, reason);
    warnings_.push_back(left_out_.back());
  }
  Json data() const { return data_; }
  const std::vector<std::string>& names() const { return names_; }
  const std::vector<std::string>& left_out() const { return left_out_; }
  const std::vector<std::string>& warnings() const { return warnings_; }

 private:
  Json::Object data_;
  std::vector<std::string> names_, left_out_, warnings_;
};

/// Adds a table of the run if there is one. why_none: what a run without this file does not do.
void add_table(Parts& parts, const RunFolder& folder, const std::string& file, std::string_view what,
               std::string_view why_none, const std::function<Json(const fs::path&)>& make) {
  if (folder.has(file))
    parts.add(file.substr(0, file.find('.')), what, [&] { return make(folder.path / file); });
  else
    parts.leave_out(what, fmt::format("there is no {} ({})", file, why_none));
}

/// Returns the line of units of one of the run's tables; empty if there is none.
std::string line_of_units(const RunFolder& folder) {
  for (const char* file : {"energy.csv", "droplet.csv", "ledger.csv"}) try {
      if (folder.has(file)) return CsvReader(folder.path / file).header();
    } catch (const InputError&) {  // its part says why
      continue;
    }
  return {};
}

UnitSystem units_of_run(const RunFolder& folder, std::string_view header) {
  if (folder.run) return folder.run->config.units;
  return header.find("units: lj") != std::string_view::npos ? UnitSystem::lj : UnitSystem::real;
}

void add_tables(Parts& parts, const RunFolder& folder) {
  const auto series = [](const fs::path& path) { return series_json(path, kMostRows); };
  add_table(parts, folder, "energy.csv", "Energies and temperature", "set energy-every in [output]", series);
  add_table(parts, folder, "ledger.csv", "Energy from outside", "a run with a bath or another source of energy has one",
            series);
  add_table(parts, folder, "droplet.csv", "Size of the droplet", "a run with [droplet] has one", series);
  add_table(parts, folder, "events.csv", "Events", "a run with [droplet] has one",
            [](const fs::path& path) { return events_json(path, kMostRows, kMostListedEvents); });
  add_table(parts, folder, "profile.csv", "Profiles", "set profile-every in [droplet]",
            [](const fs::path& path) { return profile_json(path, kMostProfiles); });
}

void add_state(Parts& parts, const RunFolder& folder, UnitSystem units) {
  if (!folder.run) {
    parts.leave_out("Run file, sizes of clusters and potential map", folder.no_run);
  } else {
    parts.add("clusters", "Sizes of clusters", [&] { return clusters_json(*folder.run); });
    if (folder.run->config.map && folder.run->config.map->every > 0)
      parts.add("map", "Potential map", [&] { return map_json(*folder.run); });
    else
      parts.leave_out("Potential map", "the run makes none (add [map] to the run file)");
  }
  FramesJson frames = frames_json(folder, units);
  if (frames.frames.empty()) {
    parts.leave_out("Views of the atoms", frames.no_frames);
  } else {
    if (!frames.damage.empty()) parts.warn("Frames of the trajectory", frames.damage);
    parts.add("frames", "Views of the atoms", [&] { return Json(std::move(frames.frames)); });
  }
  add_table(parts, folder, "timings.csv", "Wall time by phase", "earlier versions did not write it", timings_json);
}

std::string list_of(const std::vector<std::string>& sentences) {
  std::string html;
  for (const std::string& sentence : sentences) html += "<li>" + html_text(sentence) + "</li>\n";
  return html;
}

}  // namespace

ReportPage report_page(const fs::path& path) {
  const RunFolder folder = read_run_folder(path);
  const std::string header = line_of_units(folder);
  const UnitSystem units = units_of_run(folder, header);
  Parts parts;
  add_tables(parts, folder);
  add_state(parts, folder, units);

  const std::string name = fs::absolute(path / "status.json").lexically_normal().parent_path().filename().string();
  const std::string title = folder.title().empty() ? "Run in " + name : folder.title();
  const Json data = Json::Object{{"length", printed_unit(units_of(units).length)}, {"parts", parts.data()}};
  return {filled_page(page::kPageHtml, title, state_html(folder),
                      {{"facts", facts_html(folder, header)},
                       {"run_file", run_file_html(folder)},
                       {"left_out", list_of(parts.left_out())},
                       {"data", json_for_script(json_line(data))},
                       {"view_js", std::string(page::kViewJs)},
                       {"map_js", std::string(page::kMapJs)},
                       {"page_js", std::string(page::kPageJs)}}),
          parts.names(), parts.left_out(), parts.warnings()};
}

}  // namespace dropmd
