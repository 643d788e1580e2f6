#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <mutex>
#include <set>
#include <string>

#include "device/communicator/ranks.h"
#include "engine/ensemble/replica_source.h"

/// The runs of an ensemble over the ranks of an MPI job: rank 0 has the table and hands out runs.
namespace dropmd {

/// What rank 0 tells the others first.
struct RankTask {
  std::int64_t means_from = 0;
  std::size_t n_runs = 0;         ///< runs that are to be made by all ranks
  bool on_gpus = false;           ///< whether rank 0 makes its runs on GPUs
  std::filesystem::path example;  ///< folder of one of them
};

/// Rank 0's side: answers the other ranks. Ranks that were not told of a task are sent home at the end, so that an
/// error of rank 0 ends the job.
class ReplicaServer {
 public:
  /// Receives each rank that cannot take part, and why.
  using Problem = std::function<void(int rank, const std::string& what)>;

  explicit ReplicaServer(Ranks& ranks);
  ~ReplicaServer();
  ReplicaServer(const ReplicaServer&) = delete;
  ReplicaServer& operator=(const ReplicaServer&) = delete;

  void begin(const RankTask& task);
  /// Answers what has arrived. Once stopping() says so, hands out no more runs, and has the other ranks stop theirs.
  void answer(ReplicaSource& source, const std::function<bool()>& stopping, const Problem& problem);
  /// Whether other ranks are still at work.
  bool is_needed() const { return !at_work_.empty(); }

 private:
  Ranks& ranks_;
  bool began_ = false, told_to_stop_ = false;
  std::set<int> at_work_;
};

/// The side of the other ranks.
class RemoteSource final : public ReplicaSource {
 public:
  explicit RemoteSource(Ranks& ranks) : ranks_(ranks) {}
  /// Waits for the task; nullopt: there is none.
  std::optional<RankTask> wait_for_task();
  std::optional<ReplicaTask> next() override;
  void ended(std::size_t index, const ReplicaResult& result) override;
  /// Takes notice of what rank 0 says unasked; to be called now and then.
  void look();
  /// Whether rank 0 wants all runs stopped.
  bool stops() const { return stops_; }
  /// To be called last: this rank takes no more runs. problem: why it took none; empty: it did its part.
  void leave(const std::string& problem);

 private:
  Ranks& ranks_;
  std::mutex asking_;
  std::atomic<bool> stops_ = false;
};

/// Convert a result to text, and text to a result.
std::string to_text(const ReplicaResult& result);
ReplicaResult replica_result_of(const std::string& text);

}  // namespace dropmd
