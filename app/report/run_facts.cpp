#include "app/report/run_facts.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "app/report/html_text.h"
#include "app/report/run_tables.h"
#include "core/units.h"
#include "engine/methods/method.h"

namespace dropmd {

namespace {

/// A run renews its status.json every five seconds; steps may take longer.
constexpr double kProbablyKilled = 120;  // seconds

std::optional<double> steps_of(const RunFolder& folder) {
  if (folder.status && folder.status->steps) return folder.status->steps;
  if (folder.run) return static_cast<double>(folder.run->config.steps);
  return std::nullopt;
}

std::string state_text(const RunFolder& folder) {
  if (!folder.status) return "state not known (" + folder.no_status + ")";
  const ReadStatus& status = *folder.status;
  std::string text = status.state;
  if (status.step) text += fmt::format(", step {:.15g}", *status.step);
  if (const auto steps = steps_of(folder)) text += fmt::format(" of {:.15g}", *steps);
  if (status.state == "running") {
    if (status.age > kProbablyKilled)
      text += fmt::format("; status.json is {} old, so the run may have been killed", duration_text(status.age));
    else if (status.eta_seconds)
      text += ", " + duration_text(*status.eta_seconds) + " left";
  }
  if (status.state == "stopped" || status.state == "failed")
    text += status.checkpoint_step ? fmt::format("; it resumes from step {:.15g}", *status.checkpoint_step)
                                   : std::string("; there is no checkpoint");
  return text;
}

std::string processor_text(const RunState& state) {
  std::string text = state.backend == Backend::cpu ? "CPU" : "GPU";
  text += fmt::format(", {} precision, {}", word_of(state.precision), word_of(state.choice.neighbor));
  return text;
}

std::string integrator_text(const RunConfig& config) {
  std::string text = config.integrator.form;
  const Units& units = units_of(config.units);
  if (config.integrator.has("timestep"))
    text += fmt::format(", timestep {:g} {}", config.integrator.at("timestep"), printed_unit(units.time));
  if (config.integrator.has("temperature"))
    text += fmt::format(", {:g} {}", config.integrator.at("temperature"), printed_unit(units.temperature));
  return text;
}

}  // namespace

std::string duration_text(double seconds) {
  constexpr double kMinute = 60, kHour = 3600;
  if (!std::isfinite(seconds)) return "an unknown time";
  const double s = std::round(std::max(seconds, 0.0));
  if (s < kMinute) return fmt::format("{:.0f} s", s);
  if (s < kHour) return fmt::format("{:.0f} min {:.0f} s", std::floor(s / kMinute), std::fmod(s, kMinute));
  return fmt::format("{:.0f} h {:.0f} min", std::floor(s / kHour), std::floor(std::fmod(s, kHour) / kMinute));
}

std::string state_html(const RunFolder& folder) {
  const std::string state = folder.status ? folder.status->state : "unknown";
  std::string html =
      fmt::format("<p class=\"state\" data-state=\"{}\">{}</p>\n", html_text(state), html_text(state_text(folder)));
  const std::optional<double> steps = steps_of(folder);
  // A minimiser may be finished before its last step.
  if (folder.status && folder.status->step && steps && *steps > 0 && state != "finished")
    html += fmt::format("<progress value=\"{:.15g}\" max=\"{:.15g}\" aria-label=\"steps done\"></progress>\n",
                        std::min(*folder.status->step, *steps), *steps);
  return html;
}

std::string facts_html(const RunFolder& folder, const std::string& header) {
  std::string html = fact_row("Folder", folder.path.string());
  if (!header.empty()) html += fact_row("Written by", header.substr(0, header.find(',')));
  if (folder.run) {
    const RunConfig& config = folder.run->config;
    const RunState& state = folder.run->from.state;
    html += fact_row("Structure", config.structure.string());
    if (config.topology.given()) html += fact_row("Topology", config.topology.file.string());
    html += fact_row("Atoms", fmt::format("{} at step {}", state.position.size(), state.step));
    html += fact_row("Computed on", processor_text(state));
    html += fact_row("Integrator", integrator_text(config));
  }
  if (folder.status) {
    const ReadStatus& status = *folder.status;
    const std::string unit = unit_of_column("time", header, "energy.csv");
    if (status.time && *status.time != 0)
      html += fact_row("Simulated time", fmt::format("{:.10g} {}", *status.time, unit));
    if (status.steps_per_second)
      html += fact_row("Speed", fmt::format("{:.4g} steps per second (mean since the run started or resumed)",
                                            *status.steps_per_second));
    if (status.energy)
      html += fact_row("Total energy",
                       fmt::format("{:.10g} {}", *status.energy, unit_of_column("total", header, "energy.csv")));
    if (status.temperature)
      html += fact_row("Temperature", fmt::format("{:.5g} {}", *status.temperature,
                                                  unit_of_column("temperature", header, "energy.csv")));
  }
  return html;
}

std::string run_file_html(const RunFolder& folder) {
  if (!folder.run) return {};
  return fmt::format(
      "<details><summary>Run file, with all defaults</summary>\n<pre "
      "tabindex=\"0\"><code>{}</code></pre>\n</details>\n",
      html_text(folder.run->from.run_file));
}

}  // namespace dropmd
