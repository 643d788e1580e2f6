#pragma once

#include <cstddef>

namespace dropmd {

/// The work of a team: each member calls it with its number. It refers to a callable and does not own it.
class TeamWork {
 public:
  template <class Work>
  explicit TeamWork(const Work& work)
      : work_(&work), call_([](const void* of, std::size_t member) { (*static_cast<const Work*>(of))(member); }) {}

  /// Does the share of a member.
  void operator()(std::size_t member) const { call_(work_, member); }

 private:
  const void* work_;
  void (*call_)(const void* work, std::size_t member);
};

/// Calls work(0) on this thread and, meanwhile, work(m) on helper number m, for those m in [1, threads) whose helper
/// arrives before work(0) returns; then waits for the helpers that began. The members must therefore take their shares
/// from a common counter, and work(0) must not return before all shares are taken.
///
/// A helper that the operating system keeps from running, as on a busy host, delays nobody: the threads that run do the
/// work. Waiting threads spin for 50 microseconds, about as long as a run computes alone between two loops, and sleep
/// after that. A helper has the same number in every call, so that it finds its share in its own cache.
///
/// If members throw, the first exception is rethrown here when all have ended. If a member calls this within its work,
/// work(0) does everything. Each calling thread has helpers of its own; when it ends, the next thread takes them over.
void run_team(std::size_t threads, TeamWork work);

}  // namespace dropmd
