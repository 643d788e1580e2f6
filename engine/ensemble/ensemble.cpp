#include "engine/ensemble/ensemble.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <memory>
#include <system_error>
#include <utility>
#include <vector>

#include "core/clock.h"
#include "core/errors.h"
#include "core/terminal_text.h"
#include "engine/ensemble/replica_run.h"
#include "engine/model/invariance.h"
#include "inputs/ensemble_file.h"
#include "inputs/run_file/resolved_run.h"
#include "inputs/text_source.h"
#include "outputs/ensemble_csv.h"
#include "outputs/files/atomic_file.h"

namespace dropmd {

namespace {

namespace fs = std::filesystem;

constexpr const char* kEnsembleFile = "ensemble.csv";

void make_folder(const fs::path& folder) {
  std::error_code error;
  fs::create_directories(folder, error);
  if (error)
    throw OutputError(
        fmt::format("cannot create the folder {}: {} (choose another -o)", folder.string(), error.message()));
}

/// Removes what an earlier ensemble left in a folder, and nothing else.
void remove_ensemble(const fs::path& folder) {
  const fs::path table = folder / kEnsembleFile;
  if (!fs::exists(table)) return;
  const std::size_t n = read_ensemble_file(table).table.replicas.size();
  for (std::size_t k = 0; k < n; ++k) fs::remove_all(folder / replica_folder_name(k, n));
  fs::remove(table);  // last: it says which folders are those of runs
}

/// Throws if the folder of a run has files of another run. A run file may be there, complete or not: that of an
/// ensemble whose creation was interrupted.
void require_unused(const fs::path& of_run) {
  if (!fs::exists(of_run)) return;
  remove_leftovers(of_run / kReplicaRunFile);
  for (const auto& entry : fs::directory_iterator(of_run))
    if (entry.path().filename() != kReplicaRunFile)
      throw OutputError(fmt::format("{} already contains files (choose another -o)", of_run.string()));
}

/// Throws InputError for a path that is not UTF-8, as the text of a run file is.
void require_utf8(const fs::path& path) {
  const std::string text = path.string();
  if (as_utf8(text) != text)
    throw InputError({text}, "the name is not UTF-8, so no run file can contain it (rename the file or the folder)");
}

/// Returns the unit system that the header of ensemble.csv names.
UnitSystem units_in(const std::string& header, const fs::path& file) {
  for (const UnitSystem system : {UnitSystem::real, UnitSystem::lj})
    if (header.find(fmt::format("units: {} ", units_of(system).name)) != std::string::npos) return system;
  throw InputError({file.string(), 1}, "the units are missing (expected: an ensemble.csv that dropmd ensemble wrote)");
}

}  // namespace

std::string replica_folder_name(std::size_t index, std::size_t n_runs) {
  const std::size_t width = std::max<std::size_t>(4, std::to_string(n_runs).size());
  return fmt::format("{:0{}}", index + 1, width);
}

std::string ends_text(const EnsembleTable& table) {
  std::array<std::size_t, kReplicaStateWords.size()> count{};
  for (const Replica& replica : table.replicas) ++count[static_cast<std::size_t>(replica.result.state)];
  std::string text;
  for (std::size_t state = 0; state < count.size(); ++state)
    if (count[state] > 0)
      text += fmt::format("{}{} {}", text.empty() ? "" : ", ", count[state], kReplicaStateWords[state]);
  return text;
}

Ensemble::Ensemble(fs::path folder, FolderLock lock, EnsembleTable table, UnitSystem units)
    : folder_(std::move(folder)), lock_(std::move(lock)), table_(std::move(table)), units_(units) {
  for (std::size_t k = 0; k < table_.replicas.size(); ++k)
    if (!is_over(table_.replicas[k].result.state)) to_make_.push_back(k);
  const auto lacked_nothing = [&](std::size_t k) { return table_.replicas[k].result.status == ExitStatus::done; };
  std::stable_partition(to_make_.begin(), to_make_.end(), lacked_nothing);
  has_ended_.resize(table_.replicas.size());
}

std::unique_ptr<Ensemble> Ensemble::create(const fs::path& folder, const EnsembleTable& table,
                                           std::span<const RunConfig> configs, bool overwrite) {
  for (const RunConfig& config : configs) {
    std::vector<fs::path> named = config.topology.include;
    named.push_back(config.structure);
    if (config.topology.given()) named.push_back(config.topology.file);
    for (const fs::path& path : named) require_utf8(fs::absolute(path));
  }
  require_utf8(fs::absolute(folder));
  make_folder(folder);
  FolderLock lock(folder, "ensemble");
  remove_leftovers(folder / kEnsembleFile);
  if (overwrite) remove_ensemble(folder);
  // The constructor is private.
  std::unique_ptr<Ensemble> ensemble(new Ensemble(folder, std::move(lock), table, configs.front().units));
  if (fs::exists(ensemble->file()))
    throw OutputError(
        fmt::format("{} exists (dropmd ensemble --resume {} continues it; --force starts again; or choose "
                    "another -o)",
                    ensemble->file().string(), shell_word(folder.string())));
  for (std::size_t k = 0; k < configs.size(); ++k) require_unused(ensemble->folder_of(k));
  for (std::size_t k = 0; k < configs.size(); ++k) {
    const fs::path of_run = ensemble->folder_of(k);
    make_folder(of_run);
    RunConfig config = configs[k];
    config.output_directory = fs::absolute(of_run).lexically_normal();
    const std::string text = resolved_run_toml(config, invariance_of(config));
    write_atomically(of_run / kReplicaRunFile, /*overwrite=*/true, [&](FileWriter& writer) { writer.write(text); });
  }
  ensemble->write();
  return ensemble;
}

std::unique_ptr<Ensemble> Ensemble::open(const fs::path& folder) {
  FolderLock lock(folder, "ensemble");  // before reading: another process may be writing the table
  const fs::path file = folder / kEnsembleFile;
  if (!fs::exists(file))
    throw InputError({file.string()},
                     "no such file (give the folder of an ensemble; if one was interrupted while it was being created, "
                     "repeat the command that creates it)");
  remove_leftovers(file);
  ReadEnsemble read = read_ensemble_file(file);
  const UnitSystem units = units_in(read.header, file);
  return std::unique_ptr<Ensemble>(new Ensemble(folder, std::move(lock), std::move(read.table), units));
}

fs::path Ensemble::folder_of(std::size_t index) const {
  return folder_ / replica_folder_name(index, table_.replicas.size());
}

std::size_t Ensemble::n_left() const {
  return static_cast<std::size_t>(std::count_if(table_.replicas.begin(), table_.replicas.end(),
                                                [](const Replica& r) { return !is_over(r.result.state); }));
}

void Ensemble::write() {
  constexpr double kMostOfTime = 0.05, kAfterFailure = 1;  // seconds
  const double begin = steady_seconds();
  write_from_ = begin + kAfterFailure;
  write_ensemble_csv(file(), table_, units_of(units_));
  const double end = steady_seconds();
  changed_ = false;
  write_from_ = end + (end - begin) / kMostOfTime;
}

void Ensemble::save_if_due() {
  const std::lock_guard lock(mutex_);
  if (changed_ && steady_seconds() >= write_from_) write();
}

void Ensemble::save() {
  const std::lock_guard lock(mutex_);
  if (changed_) write();
}

std::optional<ReplicaTask> Ensemble::next() {
  const std::lock_guard lock(mutex_);
  while (next_ < to_make_.size() && has_ended_[to_make_[next_]]) ++next_;
  if (next_ == to_make_.size()) return std::nullopt;
  const std::size_t index = to_make_[next_++];
  ReplicaResult& result = table_.replicas[index].result;
  result.state = ReplicaState::running;
  result.status = ExitStatus::done;
  result.message.clear();
  changed_ = true;
  return ReplicaTask{index, folder_of(index)};
}

void Ensemble::ended(std::size_t index, const ReplicaResult& result) {
  const std::lock_guard lock(mutex_);
  Replica& replica = table_.replicas[index];
  const ReplicaResult before = std::exchange(replica.result, result);
  if (result.state == ReplicaState::stopped && result.steps < before.steps) {  // it could not be read
    replica.result.steps = before.steps;
    replica.result.time = before.time;
    replica.result.means = before.means;
  }
  has_ended_[index] = true;
  changed_ = true;
  ended_(index, replica);
}

}  // namespace dropmd
