#include <fmt/core.h>
#include <sys/resource.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <exception>
#include <ostream>
#include <thread>

#include "app/commands/ensemble/ensemble_display.h"
#include "app/commands/ensemble/ensemble_plan.h"
#include "app/commands/ensemble/host_share.h"
#include "app/device_options.h"
#include "app/json_text.h"
#include "app/option_values.h"
#include "app/run_settings.h"
#include "app/shared_options.h"
#include "app/stop_signals.h"
#include "core/clock.h"
#include "core/counted_noun.h"
#include "core/terminal_text.h"
#include "core/version.h"
#include "engine/ensemble/rank_source.h"
#include "engine/ensemble/replica_workers.h"

namespace dropmd {

namespace {

namespace fs = std::filesystem;

constexpr double kSecondsPerHour = 3600;
constexpr CountedNoun kRuns{"run", "runs"};
constexpr std::string_view kNotes =
    "Each run has a folder DIR/0001, ... with its own run file, which dropmd run can repeat. DIR/ensemble.csv has a\n"
    "row for each: values, seed, end, steps, means with block errors. A run that fails does not end the others.\n"
    "Signals stop all runs with checkpoints; --resume continues those that are not over.\n";

std::string runs_text(std::size_t n) { return fmt::format("{} {}", n, kRuns.of(n)); }

void add_options(OptionTable& options) {
  add_file_argument(options);
  add_method_options(options);
  add_devices_option(options);
  add_common_options(options);
  add_setting_options(options);
  options.add({},
              {{"replicas", "runs of each combination of values, each with its own seed (default 1)", "N"},
               {"vary", "a key of the run file and its values; several: all combinations", "SECTION.KEY=A,B,C", true},
               {"steps", "number of steps, such as 1e6; overrides the run file", "N"},
               {"means-from", "means are over the rows from this step on (default 0)", "STEP"},
               {"at-once", "runs at once on each GPU, or on the CPU (default: as many as are useful)", "N"},
               {"max-hours", "stop within H hours of wall time, with checkpoints", "H"},
               {"resume", "continue the ensemble of a folder; omit FILE and the options of its runs", "DIR"},
               {"dry-run", "show the runs and what one of them needs; write nothing"}});
}

Json to_json(const Replica& replica, const EnsembleTable& table, std::size_t index, const fs::path& folder) {
  const ReplicaResult& result = replica.result;
  Json::Object means;
  for (const NamedMean& mean : result.means)
    means.push_back(
        {mean.name, Json{{"mean", finite_or_null(mean.value.mean)}, {"error", finite_or_null(mean.value.error)}}});
  return Json{{"replica", static_cast<std::uint64_t>(index + 1)},
              {"folder", folder.string()},
              {"values", values_json(table, replica)},
              {"seed", replica.seed},
              {"end", word_of(result.state)},
              {"steps", result.steps},
              {"time", result.time},
              {"means", std::move(means)},
              {"status", static_cast<int>(result.status)},
              {"message", result.message}};
}

/// Throws if runs lacked what they need, or did not reach their aim.
void require_good_ends(const Ensemble& ensemble) {
  const std::vector<Replica>& replicas = ensemble.table().replicas;
  for (std::size_t k = 0; k < replicas.size(); ++k) {
    const ReplicaResult& result = replicas[k].result;
    if (ensemble.has_ended(k) && result.state == ReplicaState::stopped && result.status != ExitStatus::done)
      throw Error(result.status, result.message);
  }
  const auto is_failed = [](const Replica& r) { return r.result.state == ReplicaState::failed; };
  const auto is_bad = [](const Replica& r) { return is_over(r.result.state) && !is_good(r.result.state); };
  const auto n_bad = static_cast<std::size_t>(std::count_if(replicas.begin(), replicas.end(), is_bad));
  if (n_bad == 0) return;
  const auto failure = std::find_if(replicas.begin(), replicas.end(), is_failed);
  const ExitStatus status = failure == replicas.end() ? ExitStatus::out_of_tolerance : failure->result.status;
  throw Error(status, fmt::format("{} of {} did not reach {} aim ({} says why)", runs_text(n_bad), replicas.size(),
                                  CountedNoun{"its", "their"}.of(n_bad), ensemble.file().string()));
}

/// Prints the result; throws if runs did not reach their aim. why_left: as make_runs() returns it.
ExitStatus finish(const Ensemble& ensemble, const std::string& why_left, double seconds, const GivenOptions& options,
                  Streams& streams) {
  const EnsembleTable& table = ensemble.table();
  if (options.has("json")) {
    Json::List runs;
    for (std::size_t k = 0; k < table.replicas.size(); ++k)
      runs.push_back(to_json(table.replicas[k], table, k, ensemble.folder_of(k)));
    streams.out << json_text(Json{{"file", ensemble.file().string()},
                                  {"seconds", seconds},
                                  {"replicas", std::move(runs)},
                                  {"version", kVersion}});
  }
  const fs::path folder = ensemble.file().parent_path();
  if (!options.has("quiet")) {
    std::ostream& out = options.has("json") ? streams.err : streams.out;
    out << fmt::format("{}: {} in {:.2f} s\n  wrote {}\n", runs_text(table.replicas.size()), ends_text(table), seconds,
                       without_commands(ensemble.file().string()));
    if (ensemble.n_left() > 0)
      out << "  it resumes with: dropmd ensemble --resume " << shell_word(folder.string()) << '\n';
  }
  if (StopSignals::came()) return StopSignals::status();
  require_good_ends(ensemble);
  if (!why_left.empty() && ensemble.n_left() > 0)
    throw Error(ExitStatus::terminated,
                fmt::format("{} left; {} (dropmd ensemble --resume {})", runs_text(ensemble.n_left()), why_left,
                            shell_word(folder.string())));
  return ExitStatus::done;
}

/// The limit of wall time of --max-hours.
class WallTime {
 public:
  explicit WallTime(const GivenOptions& options) {
    if (options.has("max-hours")) most_ = kSecondsPerHour * real_option(options, "max-hours", Zero::excluded);
  }
  double passed() const { return steady_seconds() - begin_; }
  std::optional<double> left() const { return most_ ? std::optional(*most_ - passed()) : std::nullopt; }

 private:
  double begin_ = steady_seconds();
  std::optional<double> most_{};
};

/// Makes the runs of an ensemble, with the other ranks if there are any. Returns why one of these has left although
/// there was time for more runs; empty: none has.
std::string make_runs(const EnsemblePlan& plan, const GivenOptions& options, const WallTime& time,
                      const JobRanks* ranks, ReplicaServer* server, Streams& streams) {
  const std::vector<ReplicaPlace>& places = plan.places;
  EnsembleDisplay display(plan, options.has("quiet"), streams);
  plan.ensemble->on_ended([&](std::size_t index, const Replica& replica) { display.ended(index, replica); });
  if (!options.has("quiet"))
    streams.live << fmt::format(
                        "dropmd {}: {}, {} at once on {}{}\n", kVersion, runs_text(plan.runs.size()), places.size(),
                        describe(places),
                        ranks == nullptr ? "" : fmt::format("; {} ranks, of which this is the first", ranks->size()))
                 << std::flush;
  std::string why_left;
  std::exception_ptr failure;
  const auto stopping = [&] { return failure || StopSignals::came() || time.left().value_or(1) <= 0; };
  const auto answer = [&] {
    if (server == nullptr) return;
    server->answer(*plan.ensemble, stopping, [&](int rank, const std::string& what) {
      why_left = fmt::format("rank {}: {}", rank, what);
      display.warn(why_left);
    });
  };
  const auto look = [&] {
    answer();
    display.show();
    plan.ensemble->save_if_due();
  };
  const WorkerHooks hooks{StopSignals::came, [&] { return time.left(); },
                          [&](std::size_t index, std::int64_t step) { display.reached(index, step); }, look};
  try {
    if (server != nullptr)
      server->begin({plan.ensemble->table().means_from, plan.runs.size(), is_on_gpus(places),
                     std::filesystem::absolute(plan.example)});
    work_on(*plan.ensemble, places, plan.ensemble->table().means_from, hooks);
  } catch (...) {
    failure = std::current_exception();
  }
  while (server != nullptr && server->is_needed()) {
    try {
      look();
    } catch (...) {
      if (!failure) failure = std::current_exception();
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  display.show();
  try {
    plan.ensemble->save();
  } catch (...) {
    if (!failure) failure = std::current_exception();
  }
  if (failure) std::rethrow_exception(failure);
  return time.left().value_or(1) > 0 ? why_left : "";
}

/// The part of a rank other than the first: it makes the runs that it is given, and shows nothing.
ExitStatus serve(const GivenOptions& options, const WallTime& time, JobRanks& ranks, Streams& streams) {
  RemoteSource source(ranks.ranks());
  std::string problem;
  try {
    const std::optional<RankTask> task = source.wait_for_task();
    if (!task) return ExitStatus::done;
    const RunConfig config = replica_config(task->example);
    const System system = replica_system(task->example);
    const std::vector<ReplicaPlace> places = places_on_host(options, config, system, task->n_runs, &ranks, streams);
    if (is_on_gpus(places) != task->on_gpus)
      throw DeviceError(task->on_gpus
                            ? "this rank has no GPU, but the first one has (--backend cpu: no rank uses one)"
                            : "this rank has a GPU, but the first one has none (--backend cpu: no rank uses one)");
    work_on(source, places, task->means_from,
            {[&] { return StopSignals::came() || source.stops(); }, [&] { return time.left(); },
             [](std::size_t, std::int64_t) {}, [&] { source.look(); }});
  } catch (const std::exception& error) {
    problem = error.what();
  }
  if (problem.empty() && StopSignals::came() && !source.stops()) problem = "a signal has stopped its runs";
  source.leave(problem);
  return ExitStatus::done;
}

/// Each run keeps some files open.
void allow_many_files() {
  rlimit limit{};
  if (::getrlimit(RLIMIT_NOFILE, &limit) != 0) return;
  limit.rlim_cur = limit.rlim_max;
  ::setrlimit(RLIMIT_NOFILE, &limit);
}

ExitStatus run(const GivenOptions& options, Streams& streams) {
  const WallTime time(options);
  allow_many_files();
  ::setenv("CUDA_DEVICE_MAX_CONNECTIONS", "32", /*overwrite=*/0);  // so that runs at once do not wait for each other
  std::optional<StopSignals> signals;
  std::optional<JobRanks> ranks;
  std::optional<ReplicaServer> server;
  if (Ranks::launched()) {
    signals.emplace();  // until all ranks have left the job: a signal to one that waits for others would end them
    ranks.emplace();
    if (ranks->rank() > 0) return serve(options, time, *ranks, streams);
    server.emplace(ranks->ranks());
  }
  JobRanks* const job = ranks ? &*ranks : nullptr;
  const EnsemblePlan plan =
      options.has("resume") ? resumed_plan(options, job, streams) : new_plan(options, job, streams);
  if (!plan.ensemble) return ExitStatus::done;
  if (!signals) signals.emplace();
  std::string why_left;
  if (!plan.runs.empty()) why_left = make_runs(plan, options, time, job, server ? &*server : nullptr, streams);
  return finish(*plan.ensemble, why_left, time.passed(), options, streams);
}

}  // namespace

Command ensemble_command() {
  return {
      "ensemble",
      "FILE",
      "many runs of one file: seeds or values varied, at once on a GPU, over GPUs and nodes",
      {"dropmd ensemble inputs/samples/lj-cluster-13-langevin.toml --replicas 4 --steps 1000 -o seeds",
       "dropmd ensemble inputs/samples/lj-cluster-13-langevin.toml --vary integrator.temperature=0.1,0.2 --steps 1000 "
       "--means-from 200 -o temperatures",
       "dropmd ensemble --resume temperatures"},
      add_options,
      run,
      kNotes};
}

}  // namespace dropmd
