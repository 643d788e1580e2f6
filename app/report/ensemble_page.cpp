#include "app/report/ensemble_page.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <string>
#include <utility>

#include "app/json_text.h"
#include "app/report/html_text.h"
#include "app/report/page_sources.h"
#include "app/report/page_template.h"
#include "app/report/run_tables.h"
#include "core/errors.h"
#include "engine/ensemble/ensemble.h"
#include "inputs/ensemble_file.h"

namespace dropmd {

namespace {

namespace fs = std::filesystem;

/// Rows of a run's table: enough for the width of a chart that shows many runs.
constexpr std::size_t kMostRows = 600;
/// Runs with series on the page; more lines than these cannot be told apart.
constexpr std::size_t kMostRuns = 32;
constexpr std::string_view kOfDroplet = "droplet_";

Json means_json(const ReplicaResult& result) {
  Json::Object means;
  for (const NamedMean& mean : result.means)
    means.push_back({mean.name, Json::List{finite_or_null(mean.value.mean), finite_or_null(mean.value.error)}});
  return means;
}

Json run_json(const EnsembleTable& table, std::size_t index, const fs::path& of_run,
              std::vector<std::string>& left_out) {
  const Replica& replica = table.replicas[index];
  Json::Object json{{"number", std::uint64_t{index + 1}},
                    {"values", Json::List(replica.values.begin(), replica.values.end())},
                    {"seed", replica.seed},
                    {"end", word_of(replica.result.state)},
                    {"good", is_good(replica.result.state)},
                    {"steps", replica.result.steps},
                    {"message", replica.result.message},
                    {"means", means_json(replica.result)}};
  if (index >= kMostRuns) return json;
  for (const char* part : {"energy", "droplet"}) try {
      const fs::path file = of_run / (std::string(part) + ".csv");
      if (fs::exists(file)) json.push_back({part, series_json(file, kMostRows)});
    } catch (const InputError& error) {
      left_out.push_back(fmt::format("Run {}: {}.", index + 1, error.what()));
    }
  return json;
}

/// Returns the names of all means and their units.
Json quantities_json(const ReadEnsemble& ensemble) {
  Json::Object quantities;
  for (const Replica& replica : ensemble.table.replicas)
    for (const NamedMean& mean : replica.result.means) {
      const bool of_droplet = mean.name.starts_with(kOfDroplet);
      const std::string column = of_droplet ? mean.name.substr(kOfDroplet.size()) : mean.name;
      if (std::none_of(quantities.begin(), quantities.end(),
                       [&](const auto& known) { return known.name == mean.name; }))
        quantities.push_back(
            {mean.name, unit_of_column(column, ensemble.header, of_droplet ? "droplet.csv" : "energy.csv")});
    }
  return quantities;
}

std::string facts_html(const fs::path& folder, const ReadEnsemble& ensemble) {
  std::string keys;
  for (const std::string& key : ensemble.table.keys) keys += (keys.empty() ? "" : ", ") + key;
  return fact_row("Folder", folder.string()) +
         fact_row("Written by", ensemble.header.substr(0, ensemble.header.find(','))) +
         fact_row("Runs", ends_text(ensemble.table)) + fact_row("Varied", keys.empty() ? "only the seeds" : keys);
}

}  // namespace

bool has_ensemble(const fs::path& folder) { return fs::exists(folder / "ensemble.csv"); }

ReportPage ensemble_page(const fs::path& folder) {
  const ReadEnsemble ensemble = read_ensemble_file(folder / "ensemble.csv");
  const std::vector<Replica>& replicas = ensemble.table.replicas;
  ReportPage page{.html = {}, .parts = {"runs", "means"}, .left_out = {}, .warnings = {}};
  Json::List runs;
  for (std::size_t k = 0; k < replicas.size(); ++k)
    runs.push_back(run_json(ensemble.table, k, folder / replica_folder_name(k, replicas.size()), page.left_out));
  page.warnings = page.left_out;
  if (replicas.size() > kMostRuns)
    page.left_out.push_back(fmt::format("Charts against time: of the runs after the first {}.", kMostRuns));
  const std::string name = fs::absolute(folder / "ensemble.csv").lexically_normal().parent_path().filename().string();
  const auto n_over = static_cast<std::size_t>(
      std::count_if(replicas.begin(), replicas.end(), [](const Replica& r) { return is_over(r.result.state); }));
  const auto n_bad = static_cast<std::size_t>(std::count_if(replicas.begin(), replicas.end(), [](const Replica& r) {
    return is_over(r.result.state) && !is_good(r.result.state);
  }));
  const std::string_view state = n_bad > 0 ? "failed" : n_over == replicas.size() ? "finished" : "running";
  const Json data = Json::Object{{"keys", Json::List(ensemble.table.keys.begin(), ensemble.table.keys.end())},
                                 {"means_from", ensemble.table.means_from},
                                 {"quantities", quantities_json(ensemble)},
                                 {"runs", std::move(runs)}};
  page.html =
      filled_page(page::kEnsembleHtml, "Ensemble in " + name,
                  fmt::format("<p class=\"state\" data-state=\"{}\">{} of {} runs are over{}</p>\n", state, n_over,
                              replicas.size(), n_bad > 0 ? fmt::format(", {} without reaching the aim", n_bad) : ""),
                  {{"facts", facts_html(folder, ensemble)},
                   {"data", json_for_script(json_line(data))},
                   {"ensemble_js", std::string(page::kEnsembleJs)}});
  return page;
}

}  // namespace dropmd
