#include "engine/ensemble/ensemble.h"

#include <fmt/core.h>

#include <algorithm>
#include <memory>
#include <system_error>
#include <utility>

#include "core/errors.h"
#include "engine/ensemble/replica_run.h"
#include "engine/model/invariance.h"
#include "inputs/ensemble_file.h"
#include "inputs/run_file/resolved_run.h"
#include "outputs/ensemble_csv.h"
#include "outputs/files/atomic_file.h"

namespace dropmd {

namespace {

namespace fs = std::filesystem;

void make_folder(const fs::path& folder) {
  std::error_code error;
  fs::create_directories(folder, error);
  if (error)
    throw OutputError(
        fmt::format("cannot create the folder {}: {} (choose another -o)", folder.string(), error.message()));
}

/// Returns the folder, created if it did not exist, so that it can be locked.
fs::path made(const fs::path& folder) {
  make_folder(folder);
  return folder;
}

/// Returns the unit system that the header of ensemble.csv names.
UnitSystem units_in(const std::string& header, const fs::path& file) {
  for (const UnitSystem system : {UnitSystem::real, UnitSystem::lj})
    if (header.find(fmt::format("units: {} ", units_of(system).name)) != std::string::npos) return system;
  throw InputError({file.string(), 1}, "the units are missing (an ensemble.csv that dropmd ensemble wrote)");
}

}  // namespace

Ensemble::Ensemble(fs::path folder, EnsembleTable table, UnitSystem units)
    : folder_(std::move(folder)), lock_(folder_, "ensemble"), table_(std::move(table)), units_(units) {}

std::unique_ptr<Ensemble> Ensemble::create(const fs::path& folder, const EnsembleTable& table,
                                           std::span<const RunConfig> configs, bool overwrite) {
  // The constructor is private.
  std::unique_ptr<Ensemble> ensemble(new Ensemble(made(folder), table, configs.front().units));
  if (fs::exists(ensemble->file()) && !overwrite)
    throw OutputError(
        fmt::format("{} exists (dropmd ensemble --resume {} continues it; --force begins anew; or choose "
                    "another -o)",
                    ensemble->file().string(), folder.string()));
  for (std::size_t k = 0; k < configs.size(); ++k) {
    const fs::path of_run = ensemble->folder_of(k);
    if (overwrite) fs::remove_all(of_run);
    make_folder(of_run);
    RunConfig config = configs[k];
    config.output_directory = fs::absolute(of_run).lexically_normal();
    const std::string text = resolved_run_toml(config, invariance_of(config));
    write_atomically(of_run / kReplicaRunFile, overwrite, [&](FileWriter& writer) { writer.write(text); });
  }
  ensemble->write();
  return ensemble;
}

std::unique_ptr<Ensemble> Ensemble::open(const fs::path& folder) {
  const fs::path file = folder / "ensemble.csv";
  ReadEnsemble read = read_ensemble_file(file);
  const UnitSystem units = units_in(read.header, file);
  return std::unique_ptr<Ensemble>(new Ensemble(folder, std::move(read.table), units));
}

fs::path Ensemble::folder_of(std::size_t index) const {
  const std::size_t width = std::max<std::size_t>(4, std::to_string(table_.replicas.size()).size());
  return folder_ / fmt::format("{:0{}}", index + 1, width);
}

std::size_t Ensemble::n_left() const {
  return static_cast<std::size_t>(std::count_if(table_.replicas.begin(), table_.replicas.end(),
                                                [](const Replica& r) { return !is_over(r.result.state); }));
}

void Ensemble::write() const { write_ensemble_csv(file(), table_, units_of(units_)); }

std::optional<ReplicaTask> Ensemble::next() {
  const std::lock_guard lock(mutex_);
  while (next_ < table_.replicas.size() && is_over(table_.replicas[next_].result.state)) ++next_;
  if (next_ == table_.replicas.size()) return std::nullopt;
  ReplicaResult& result = table_.replicas[next_].result;
  result.state = ReplicaState::running;
  result.message.clear();
  write();
  return ReplicaTask{next_, folder_of(next_++)};
}

void Ensemble::ended(std::size_t index, const ReplicaResult& result) {
  const std::lock_guard lock(mutex_);
  Replica& replica = table_.replicas[index];
  replica.result = result;
  write();
  ended_(index, replica);
}

}  // namespace dropmd
