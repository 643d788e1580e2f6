#include <fmt/core.h>

#include <ostream>

#include "app/commands/dry_run.h"
#include "app/device_options.h"
#include "app/json_text.h"
#include "app/option_values.h"
#include "app/ranks/run_together.h"
#include "app/run_settings.h"
#include "app/shared_options.h"
#include "app/stop_signals.h"
#include "core/clock.h"
#include "core/terminal_text.h"
#include "core/version.h"
#include "device/device_info.h"
#include "engine/jobs/follow_run.h"
#include "engine/jobs/resume.h"
#include "engine/jobs/run_job.h"
#include "engine/jobs/run_log.h"
#include "inputs/run_file/run_config.h"
#include "outputs/structures/structure_file.h"
#include "outputs/trajectories/trajectory_file.h"

namespace dropmd {

namespace {

constexpr double kSecondsPerHour = 3600;
constexpr std::string_view kNotes =
    "SIGINT (Ctrl-C), SIGTERM and SIGHUP stop a run after the current step, with a checkpoint; a second SIGINT or\n"
    "SIGTERM ends it at once, without one. The processes of mpirun -n N dropmd run ..., or srun, perform one run "
    "together,\n"
    "each on a GPU.\n";

void add_options(OptionTable& options) {
  add_file_argument(options);
  add_method_options(options);
  add_devices_option(options);
  add_wall_option(options);
  add_common_options(options);
  add_setting_options(options);
  options.add({}, {{"steps", "number of steps, such as 1e6; overrides the run file", "N"},
                   {"choices", "repeat the tuned run that wrote this choices.csv", "FILE"},
                   {"dry-run", "show the resolved run, memory, disk and time, measured on a few steps; write nothing"},
                   {"max-hours", "end within H hours of wall time, with a checkpoint", "H"},
                   {"resume", "resume from a checkpoint.h5, or from the one in a folder; FILE may be left out",
                    "CHECKPOINT|DIR"},
                   {"self-check", "check the forces on a sample of atoms every N steps", "N"}});
}

/// Returns a warning of what the final structure's format drops; for a droplet file without a run file there is none,
/// as it writes what the program of 2009 wrote.
std::optional<std::string> final_structure_warning(const RunConfig& config) {
  if (config.final_file.empty() || config.file == config.structure) return std::nullopt;
  if (config.topology.given() && config.final_file == kFinalOfMolecules) return std::nullopt;
  const std::string_view drops = structure_format_drops(config.final_file);
  if (drops.empty()) return std::nullopt;
  return fmt::format("{} does not keep {} (final = \"final.xyz\" does)", config.final_file, drops);
}

/// Returns the run of --resume, or of FILE.
ResumedRun chosen_run(const GivenOptions& options, bool resumes) {
  const std::vector<Setting> settings = settings_of(options);
  if (!resumes) return {{}, load_config(input_file(options, "run"), settings)};
  require_use_of_settings(settings);
  if (options.has("wall")) throw UsageError("--resume and --wall cannot be combined (a run resumes with its own wall)");
  std::optional<RunConfig> given;
  if (!options.list("file").empty()) given = load_config(input_file(options, "run"), settings);
  return resume_run(options.text("resume"), given, settings);
}

/// Sets the GPUs of --devices, which perform the run together.
void set_devices(const GivenOptions& options, RunConfig& config) {
  if (options.has("backend") && config.backend == Backend::cpu)
    throw UsageError("--devices and --backend cpu cannot be combined");
  load_all_kernels();
  config.devices = devices_of(options);
  config.device = config.devices.front();
  config.backend = Backend::cuda;
}

/// Returns the run that the options describe. job: the ranks that perform it together; null: there are none.
ResumedRun configured(const GivenOptions& options, bool resumes, JobRanks* job) {
  if (options.has("dry-run") && resumes)
    throw UsageError("--dry-run and --resume cannot be combined (-v shows the resumed run)");
  ResumedRun run = chosen_run(options, resumes);
  RunConfig& config = run.config;
  apply_method_options(options, config);
  if (job != nullptr)
    set_rank_device(options, *job, config);
  else if (options.has("devices"))
    set_devices(options, config);
  apply_wall_option(options, config);
  if (options.has("steps")) config.steps = whole_option<std::int64_t>(options, "steps", 0);
  if (options.has("choices")) {
    if (options.has("neighbor"))
      throw UsageError("--choices and --neighbor cannot be combined (the file of choices sets the methods)");
    config.choices = options.text("choices");
    config.neighbor = NeighborMethod::automatic;
  }
  if (options.has("output")) config.output_directory = options.text("output");
  if (const auto warning = final_structure_warning(config)) config.warnings.push_back(*warning);
  return run;
}

Json to_json(const SelfCheckSummary& check) {
  return {{"every", check.every},
          {"checks", check.checks},
          {"atoms", check.atoms},
          {"rms_force_error", check.rms.error},
          {"rms_step", check.rms.step},
          {"worst_force_error", check.worst.error},
          {"worst_step", check.worst.step},
          {"worst_atom", check.worst.atom},
          {"ok", check.ok()}};
}

Json to_json(const DropletEventCounts& counts) {
  Json::Object json;
  for (std::size_t kind = 0; kind < counts.size(); ++kind)
    json.push_back({std::string(kDropletEventNames[kind]),
                    Json::Object{{"events", counts[kind].events}, {"molecules", counts[kind].molecules}}});
  return json;
}

Json to_json(const RunSummary& summary, const Units& units) {
  Json::List files;
  for (const auto& path : summary.written) files.emplace_back(path.string());
  const Energies& e = summary.last.energies;
  Json::Object json{{"end", word_of(summary.end)},
                    {"steps", summary.steps},
                    {"time", summary.last.time},
                    {"units", units.name},
                    {"potential", e.potential()}};
  for (const auto& [name, energy] : e.components()) json.push_back({std::string(name), energy});
  json.insert(json.end(), {{"kinetic", e.kinetic}, {"total", e.total()}, {"temperature", summary.last.temperature}});
  if (const auto conserved = summary.last.conserved()) json.push_back({"conserved", *conserved});
  json.insert(json.end(), {{"max_force", summary.largest_force}, {"seconds", summary.seconds}, {"files", files}});
  if (summary.events) json.push_back({"events", to_json(*summary.events)});
  if (summary.self_check) json.push_back({"self_check", to_json(*summary.self_check)});
  json.push_back({"version", kVersion});
  return json;
}

std::string resume_line(const std::filesystem::path& checkpoint) {
  return "dropmd run --resume " + shell_word(checkpoint.string());
}

/// Returns the name of the run's trajectory in the format that holds every frame.
std::string trajectory_for_all(const RunConfig& config) {
  return std::filesystem::path(config.trajectory_file).replace_extension(trajectory_extensions().front()).string();
}

/// Returns the status of a run that ended normally or was stopped; throws for one that did not reach its aim.
ExitStatus status_of(const RunSummary& summary, const Units& units) {
  if (summary.self_check) summary.self_check->require_ok();
  if (summary.end == RunEnd::not_converged)
    throw Error(ExitStatus::out_of_tolerance,
                fmt::format("not converged after step {}: the largest force is still {:.3g} {}/{} (use more --steps, "
                            "a larger force-tolerance, or --precision double, whose forces are smoother)",
                            summary.steps, summary.largest_force, units.energy, units.length));
  return summary.end == RunEnd::interrupted ? StopSignals::status() : ExitStatus::done;
}

/// Returns the hooks that follow from the options; `begin`: when the program began.
RunHooks hooks_of(const GivenOptions& options, Streams& streams, double begin) {
  RunHooks hooks;
  hooks.progress = options.has("quiet") ? nullptr : &streams.live;
  hooks.terminal = streams.err_is_terminal;
  hooks.columns = streams.columns;
  hooks.overwrite = options.has("force");
  if (options.has("max-hours"))  // reading a large checkpoint takes time
    hooks.max_seconds =
        kSecondsPerHour * real_option(options, "max-hours", Zero::excluded) - (steady_seconds() - begin);
  if (options.has("self-check")) hooks.self_check_every = whole_option<std::int64_t>(options, "self-check", 1);
  return hooks;
}

/// A run, as the options describe it.
struct Preparation {
  bool resumes;
  ResumedRun chosen;
  RunHooks hooks;

  /// The checkpoint from which it resumes; null: a new run.
  const Checkpoint* from() const { return resumes ? &chosen.from : nullptr; }
};

/// Prepares a run, in all ranks if there are several: a mistake that one of them finds counts for all.
Preparation prepared_run(const GivenOptions& options, JobRanks* job, Streams& streams) {
  const double begin = steady_seconds();
  Preparation run{.resumes = options.has("resume"), .chosen = {}, .hooks = {}};
  const auto prepare = [&] {
    run.chosen = configured(options, run.resumes, job);
    run.hooks = hooks_of(options, streams, begin);
  };
  if (job != nullptr)
    job->ranks().all_do(prepare);
  else
    prepare();
  return run;
}

/// Performs a run, as the first of the ranks if there are several.
ExitStatus perform(const GivenOptions& options, JobRanks* job, Streams& streams) {
  Preparation prepared = prepared_run(options, job, streams);
  const RunConfig& config = prepared.chosen.config;
  RunHooks& hooks = prepared.hooks;
  const bool quiet = options.has("quiet");
  show_config(config, options, streams);
  if (options.has("dry-run")) return dry_run(config, options, streams);

  std::optional<StopSignals> signals;
  if (job == nullptr) signals.emplace();  // ranks have them until the end of all
  hooks.stop = StopSignals::came;
  hooks.started = [&](const Method& method, const System& system) {
    if (quiet) return;
    show_warnings(system.warnings, options, streams);
    log_start(streams.live, config, method, system,
              prepared.resumes ? std::optional(prepared.chosen.from.state.step) : std::nullopt);
  };
  hooks.said = [&](std::int64_t step, const std::string& text) {
    constexpr std::string_view kClearLine = "\r\x1b[K";  // where the progress display is
    if (quiet) return;
    streams.live << (hooks.terminal ? kClearLine : "") << "step " << step << ": " << text << std::endl;
  };
  if (options.has("verbose")) hooks.detailed = hooks.said;
  std::string resume_hint, other_trajectory;  // tell how to resume a run that failed
  hooks.saved = [&](std::int64_t step, const std::filesystem::path& checkpoint) {
    resume_hint = fmt::format(" (from step {} the run resumes with: {}", step, resume_line(checkpoint));
    other_trajectory = " --set " + shell_word("output.trajectory=" + trajectory_for_all(config));
  };
  const auto hint = [&](const std::string& more) { return resume_hint.empty() ? "" : resume_hint + more + ')'; };
  const RunSummary summary = [&] {
    try {
      return run_job(config, hooks, prepared.from());
    } catch (const PhysicsError&) {  // it would fail again
      throw;
    } catch (const UnfitFrame& error) {
      throw Error(error.status(), error.what() + hint(other_trajectory));
    } catch (const Error& error) {
      throw Error(error.status(), error.what() + hint(""));
    }
  }();

  const Units& units = units_of(config.units);
  // The error line of a failed check comes after the other results of the run.
  if (options.has("json")) streams.out << json_text(to_json(summary, units));
  if (!quiet) {
    streams.err << summary.timings;
    std::ostream& out = options.has("json") ? streams.err : streams.out;
    log_end(out, summary, units);
    if (summary.end == RunEnd::interrupted || summary.end == RunEnd::out_of_time)
      out << "  it resumes with: " << resume_line(*summary.checkpoint) << '\n';
  }
  return status_of(summary, units);
}

/// The part of a rank other than the first.
ExitStatus follow(const GivenOptions& options, JobRanks& job, Streams& streams) {
  const Preparation prepared = prepared_run(options, &job, streams);
  follow_run(prepared.chosen.config, prepared.hooks, prepared.from());
  return ExitStatus::done;
}

ExitStatus run(const GivenOptions& options, Streams& streams) {
  if (!Ranks::launched()) return perform(options, nullptr, streams);
  load_all_kernels();
  const StopSignals signals;  // in all ranks until the end of all; the first one decides what they mean
  JobRanks job;
  return end_together(job, streams, [&] {
    if (options.has("dry-run")) throw UsageError("--dry-run is for one process (leave mpirun or srun out)");
    return job.rank() == 0 ? perform(options, &job, streams) : follow(options, job, streams);
  });
}

}  // namespace

Command run_command() {
  return {
      "run",
      "[FILE]",
      "integrate; FILE is a run file (.toml) or a droplet file (.drop)",
      {"dropmd run inputs/samples/droplet-4139.toml --steps 20 -o droplet-out",
       "dropmd run inputs/samples/droplet-4139.drop --steps 5 --wall none -o bare-out",
       "dropmd run inputs/samples/lj-cluster-13.toml --self-check 10 -o cluster-out",
       "dropmd run inputs/samples/droplet-4139.toml --dry-run",
       "dropmd run inputs/samples/lj-cluster-13.toml --seed 3 --timestep 0.002 --set output.energy-every=5 -o seed-3",
       "dropmd run --resume droplet-out/checkpoint.h5 --steps 40"},
      add_options,
      run,
      kNotes};
}

}  // namespace dropmd
