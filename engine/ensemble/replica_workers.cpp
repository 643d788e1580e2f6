#include "engine/ensemble/replica_workers.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <exception>
#include <memory>
#include <mutex>
#include <set>
#include <thread>
#include <vector>

#include "device/memory_reuse.h"

namespace dropmd {

namespace {

/// Number of runs in a row that lack something, such as disk space, a GPU or a file, after which a place takes no more:
/// the next one would probably lack it as well.
constexpr int kLackingRuns = 2;

/// What the workers of a process share.
struct Work {
  ReplicaSource& source;
  const WorkerHooks& hooks;
  std::int64_t means_from;
  std::atomic<std::size_t> n_working{0};
  std::atomic<bool> failed = false;
  std::mutex failing{};
  std::exception_ptr failure{};

  bool stops() const { return failed || hooks.stop() || hooks.seconds_left().value_or(1) <= 0; }

  void make_runs(const ReplicaPlace& place) {
    for (int n_lacked = 0; !stops() && n_lacked < kLackingRuns;) {
      const std::optional<ReplicaTask> task = source.next();
      if (!task) return;
      const ReplicaHooks of_run{[this] { return failed || hooks.stop(); },
                                [&](std::int64_t step) { hooks.reached(task->index, step); }, hooks.seconds_left};
      const ReplicaResult result = run_replica(task->folder, place, means_from, of_run);
      source.ended(task->index, result);
      if (result.state == ReplicaState::stopped && result.status == ExitStatus::done) return;  // a signal, or its time
      n_lacked = result.state == ReplicaState::stopped ? n_lacked + 1 : 0;
    }
  }

  void note_failure() {
    const std::lock_guard lock(failing);
    if (!failure) failure = std::current_exception();
    failed = true;
  }

  void work(const ReplicaPlace& place) {
    try {
      make_runs(place);
    } catch (...) {
      note_failure();
    }
    --n_working;
  }
};

/// Returns guards that keep the GPUs' memory for reuse. To allocate or free page-locked memory, a run would have to
/// wait for the kernels of all others, and they for it.
std::vector<std::shared_ptr<const void>> reuse_memory_of(std::span<const ReplicaPlace> places) {
  std::set<int> devices;
  for (const ReplicaPlace& place : places)
    if (place.device) devices.insert(*place.device);
  std::vector<std::shared_ptr<const void>> guards;
  for (const int device : devices) guards.push_back(reuse_memory(device));
  return guards;
}

}  // namespace

void work_on(ReplicaSource& source, std::span<const ReplicaPlace> places, std::int64_t means_from,
             const WorkerHooks& hooks) {
  constexpr auto kBetween = std::chrono::milliseconds(20);
  Work work{source, hooks, means_from};
  const std::vector<std::shared_ptr<const void>> reuse = reuse_memory_of(places);
  work.n_working = places.size();
  {
    std::vector<std::jthread> threads;
    for (const ReplicaPlace& place : places) threads.emplace_back([&work, place] { work.work(place); });
    while (work.n_working > 0) {
      try {
        hooks.meanwhile();
      } catch (...) {
        work.note_failure();
      }
      std::this_thread::sleep_for(kBetween);
    }
  }
  if (work.failure) std::rethrow_exception(work.failure);
}

}  // namespace dropmd
