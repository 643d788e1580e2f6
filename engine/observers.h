#pragma once

#include <functional>
#include <limits>
#include <memory>
#include <optional>

#include "core/clock.h"
#include "core/timings.h"
#include "engine/observer.h"
#include "engine/self_check.h"
#include "outputs/energy_csv.h"
#include "outputs/ledger_csv.h"
#include "outputs/progress.h"
#include "outputs/status_file.h"
#include "outputs/trajectories/trajectory_writer.h"

/// The outputs as observers. With an interval n they observe steps divisible by n, including 0.
namespace dropmd {

/// Writes rows of a table of energies.
template <class Csv>
class RowObserver final : public Observer {
 public:
  RowObserver(Csv file, std::int64_t every) : file_(std::move(file)), every_(every) {}
  std::int64_t every() const override { return every_; }
  bool wants_state(std::int64_t) const override { return false; }
  bool wants_energies(std::int64_t step) const override { return step % every_ == 0; }
  void observe(const Snapshot& s) override {
    if (s.step % every_ == 0) file_.append(*s.energies);
  }
  void finish(const Snapshot&) override { file_.close(); }
  FlushedMark flushed_mark() { return file_.flushed_mark(); }

 private:
  Csv file_;
  std::int64_t every_;
};
using EnergyObserver = RowObserver<EnergyCsv>;
using LedgerObserver = RowObserver<LedgerCsv>;

/// Writes the frames of a trajectory. After one that the format cannot hold it writes no more: unfit() then says why,
/// and whoever drives the run should end it.
class TrajectoryObserver final : public Observer {
 public:
  TrajectoryObserver(std::unique_ptr<TrajectoryWriter> file, std::int64_t every)
      : file_(std::move(file)), every_(every) {}
  std::int64_t every() const override { return every_; }
  bool wants_state(std::int64_t step) const override { return step % every_ == 0; }
  bool wants_energies(std::int64_t) const override { return false; }
  void observe(const Snapshot& s) override {
    if (s.step % every_ != 0 || unfit_) return;
    try {
      file_->append({s.step, s.time, s.particles});
    } catch (const UnfitFrame& reason) {
      unfit_ = reason;
    }
  }
  void finish(const Snapshot&) override { file_->close(); }
  FlushedMark flushed_mark() { return file_->flushed_mark(); }
  /// nullopt: all frames were written.
  const std::optional<UnfitFrame>& unfit() const { return unfit_; }

 private:
  std::optional<UnfitFrame> unfit_{};
  std::unique_ptr<TrajectoryWriter> file_;
  std::int64_t every_;
};

/// When checkpoints are due: at steps divisible by `steps`, and at the first step that the observer reaches after
/// `seconds` have passed since the last checkpoint; 0: never.
struct CheckpointIntervals {
  std::int64_t steps = 0;
  double seconds = 0;
};

/// Writes checkpoints of steps that all other observers have seen, so it is the last observer. A GPU waits meanwhile.
/// The clock only decides which of the observed steps get a checkpoint.
class CheckpointObserver final : public Observer {
 public:
  CheckpointObserver(std::function<void()> save, const CheckpointIntervals& intervals, Clock clock = steady_seconds)
      : save_(std::move(save)), intervals_(intervals), clock_(std::move(clock)), last_(clock_()) {}
  std::int64_t every() const override {
    return intervals_.steps > 0 ? intervals_.steps : std::numeric_limits<std::int64_t>::max();
  }
  void reached(std::int64_t step) override {
    if (step > 0 && intervals_.seconds > 0 && clock_() - last_ >= intervals_.seconds) due_ = step;
  }
  bool wants_state(std::int64_t step) const override { return step > 0 && (step % every() == 0 || step == due_); }
  bool wants_energies(std::int64_t) const override { return false; }
  bool may_end_run(std::int64_t step) const override { return wants_state(step); }
  void observe(const Snapshot& s) override {
    if (!wants_state(s.step)) return;
    save_();
    last_ = clock_();
  }

 private:
  std::function<void()> save_;
  CheckpointIntervals intervals_;
  Clock clock_;
  double last_;            ///< time of the last checkpoint, or of the start
  std::int64_t due_ = -1;  ///< step of the latest checkpoint that the clock asked for
};

/// Checks the forces; the run ends if a check fails.
class SelfCheckObserver final : public Observer {
 public:
  SelfCheckObserver(SelfCheck& check, Timings& timings) : check_(check), timings_(timings) {}
  std::int64_t every() const override { return check_.summary().every; }
  bool wants_state(std::int64_t step) const override { return step % every() == 0; }
  bool wants_energies(std::int64_t) const override { return false; }
  bool may_end_run(std::int64_t step) const override { return wants_state(step); }
  void observe(const Snapshot& s) override {
    if (!wants_state(s.step)) return;
    const Timings::Scope scope(timings_, "self-check");
    check_.check(s);
  }
  void system_changed() override { check_.renew(); }

 private:
  SelfCheck& check_;
  Timings& timings_;
};

/// Updates status.json, whose final state is written with the last checkpoint, and tells of each step that it sees.
class StatusObserver final : public Observer {
 public:
  StatusObserver(StatusFile& status, std::function<void(std::int64_t step)> reached)
      : status_(status), reached_(std::move(reached)) {}
  std::int64_t every() const override { return std::numeric_limits<std::int64_t>::max(); }
  bool wants_state(std::int64_t) const override { return false; }
  bool wants_energies(std::int64_t) const override { return false; }
  void observe(const Snapshot& s) override {
    if (s.energies != nullptr) status_.set_energies(*s.energies);
    status_.update(s.step, s.time);
    reached_(s.step);
  }
  void finish(const Snapshot& last) override { observe(last); }

 private:
  StatusFile& status_;
  std::function<void(std::int64_t step)> reached_;
};

/// Updates the progress display, with the energies that other observers requested.
class ProgressObserver final : public Observer {
 public:
  explicit ProgressObserver(Progress& progress) : progress_(progress) {}
  std::int64_t every() const override { return std::numeric_limits<std::int64_t>::max(); }
  bool wants_state(std::int64_t) const override { return false; }
  bool wants_energies(std::int64_t) const override { return false; }
  void observe(const Snapshot& s) override {
    if (s.energies != nullptr) progress_.set_energies(*s.energies);
    progress_.update(s.step, s.time);
  }
  void finish(const Snapshot& last) override {
    progress_.set_energies(*last.energies);
    progress_.finish(last.step, last.time);
  }

 private:
  Progress& progress_;
};

}  // namespace dropmd
