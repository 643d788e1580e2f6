#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <vector>

#include "engine/ensemble/replica_source.h"
#include "inputs/run_file/run_config.h"
#include "outputs/files/folder_lock.h"

namespace dropmd {

/// Returns the name of the folder of a run, "0001" for the index 0; n_runs: of the ensemble.
std::string replica_folder_name(std::size_t index, std::size_t n_runs);

/// Returns the numbers of runs by how they ended: "30 finished, 2 failed".
std::string ends_text(const EnsembleTable& table);

/// The folder of an ensemble: ensemble.csv, which says how far each run has got, and one folder per run, 0001, 0002,
/// ..., with its run file and its outputs. Changes of the table stay in memory until save_if_due() or save() writes it.
/// That takes long with many runs, so save_if_due() spends at most a twentieth of the time on it.
class Ensemble final : public ReplicaSource {
 public:
  using Ended = std::function<void(std::size_t index, const Replica& replica)>;

  /// Creates the folder with the table and the run files. configs: one per run, whose outputs go to the run's folder.
  /// Throws OutputError, also for a folder that already has an ensemble unless `overwrite` is set, and InputError for
  /// paths that a run file cannot name.
  static std::unique_ptr<Ensemble> create(const std::filesystem::path& folder, const EnsembleTable& table,
                                          std::span<const RunConfig> configs, bool overwrite);
  /// Opens the folder of an ensemble, to continue the runs that are not over. Throws InputError for any other folder.
  static std::unique_ptr<Ensemble> open(const std::filesystem::path& folder);

  /// ended: receives each run that ended or stopped, on the thread that reports it, one at a time.
  void on_ended(Ended ended) { ended_ = std::move(ended); }

  /// Hands out last the runs that lacked something, so that they do not keep others from being made. Runs that have
  /// ended since the folder was opened are not handed out.
  std::optional<ReplicaTask> next() override;
  void ended(std::size_t index, const ReplicaResult& result) override;

  /// Write the table if it has changed; save_if_due() only if it was not written a short time ago. Both throw
  /// OutputError.
  void save_if_due();
  void save();

  /// For use while no run is being made.
  const EnsembleTable& table() const { return table_; }
  /// Whether a run has ended or stopped since the folder was opened.
  bool has_ended(std::size_t index) const { return has_ended_[index]; }
  std::size_t n_left() const;
  std::filesystem::path file() const { return folder_ / "ensemble.csv"; }
  /// Returns the folder of a run.
  std::filesystem::path folder_of(std::size_t index) const;

 private:
  Ensemble(std::filesystem::path folder, FolderLock lock, EnsembleTable table, UnitSystem units);
  void write();

  std::filesystem::path folder_;
  FolderLock lock_;
  EnsembleTable table_;
  UnitSystem units_;
  Ended ended_ = [](std::size_t, const Replica&) {};
  std::mutex mutex_;
  std::vector<std::size_t> to_make_{};  ///< indices of the runs that are not over, in the order in which they are made
  std::size_t next_ = 0;                ///< in to_make_: the runs before it have been handed out
  std::vector<bool> has_ended_{};       ///< by index
  bool changed_ = false;                ///< since the table was written
  double write_from_ = 0;               ///< time of the steady clock from which it may be written again
};

}  // namespace dropmd
