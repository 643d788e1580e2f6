#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <mutex>
#include <span>
#include <string>

#include "engine/ensemble/replica_source.h"
#include "inputs/run_file/run_config.h"
#include "outputs/files/folder_lock.h"

namespace dropmd {

/// Returns the name of the folder of a run, "0001" for the index 0; n_runs: of the ensemble.
std::string replica_folder_name(std::size_t index, std::size_t n_runs);

/// Returns the numbers of runs by how they ended: "30 finished, 2 failed".
std::string ends_text(const EnsembleTable& table);

/// The folder of an ensemble: ensemble.csv, which always says how far each run is, and a folder a run, 0001, 0002, ...,
/// with its run file and what it writes.
class Ensemble final : public ReplicaSource {
 public:
  using Ended = std::function<void(std::size_t index, const Replica& replica)>;

  /// Creates the folder with the table and the run files. configs: a run each, whose outputs go to the run's folder.
  /// Throws OutputError, also for a folder that has an ensemble already without `overwrite`.
  static std::unique_ptr<Ensemble> create(const std::filesystem::path& folder, const EnsembleTable& table,
                                          std::span<const RunConfig> configs, bool overwrite);
  /// Opens the folder of an ensemble, to continue the runs that are not over. Throws InputError for another folder.
  static std::unique_ptr<Ensemble> open(const std::filesystem::path& folder);

  /// Tells of each run that ended or stopped, on the thread that reports it, one at a time.
  void on_ended(Ended ended) { ended_ = std::move(ended); }

  std::optional<ReplicaTask> next() override;
  void ended(std::size_t index, const ReplicaResult& result) override;

  /// For use while no run is being made.
  const EnsembleTable& table() const { return table_; }
  std::size_t n_left() const;
  std::filesystem::path file() const { return folder_ / "ensemble.csv"; }
  /// Returns the folder of a run.
  std::filesystem::path folder_of(std::size_t index) const;

 private:
  Ensemble(std::filesystem::path folder, FolderLock lock, EnsembleTable table, UnitSystem units);
  void write() const;

  std::filesystem::path folder_;
  FolderLock lock_;
  EnsembleTable table_;
  UnitSystem units_;
  Ended ended_ = [](std::size_t, const Replica&) {};
  std::mutex mutex_;
  std::size_t next_ = 0;  ///< the runs before it have been handed out
};

}  // namespace dropmd
