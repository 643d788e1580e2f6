#include "core/thread_team.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <exception>
#include <memory>
#include <mutex>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

namespace dropmd {

namespace {

/// Tells the processor that this thread only waits.
inline void relax() {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  asm volatile("yield");
#endif
}

/// Waits until the word differs from `old`: first spinning, which saves two system calls if the wait is short, then
/// asleep. The spinning time is measured by the clock, so a thread that lost its processor meanwhile sleeps at once.
void wait_while(const std::atomic<std::uint32_t>& word, std::uint32_t old) {
  constexpr auto kAwake = std::chrono::microseconds(50);
  constexpr int kLooksPerClock = 32;
  const auto asleep_at = std::chrono::steady_clock::now() + kAwake;
  do {
    for (int k = 0; k < kLooksPerClock; ++k) {
      if (word.load(std::memory_order_acquire) != old) return;
      relax();
    }
  } while (std::chrono::steady_clock::now() < asleep_at);
  word.wait(old, std::memory_order_acquire);
}

thread_local bool is_member = false;  // whether this thread works for a team

class Team {
 public:
  /// threads: at least 2. One thread at a time may call it.
  void run(std::size_t threads, TeamWork work) {
    threads = std::min(threads, kMostThreads);
    start_helpers(threads - 1);
    work_ = &work;
    gate_.store(static_cast<std::uint32_t>(threads) << kThreadsShift, std::memory_order_release);
    call_.fetch_add(1, std::memory_order_release);
    call_.notify_all();
    take_part(0);
    std::uint32_t inside = gate_.fetch_and(kInside, std::memory_order_acq_rel) & kInside;
    while (inside != 0) {
      wait_while(gate_, inside);
      inside = gate_.load(std::memory_order_acquire);
    }
    if (const std::exception_ptr failure = std::exchange(failure_, nullptr)) std::rethrow_exception(failure);
  }

 private:
  static constexpr std::size_t kMostThreads = 4096;
  static constexpr unsigned kThreadsShift = 16;
  static constexpr std::uint32_t kInside = (1U << kThreadsShift) - 1;

  /// Starts fewer helpers if the system has no more threads to give.
  void start_helpers(std::size_t n) {
    try {
      for (; n_helpers_ < n; ++n_helpers_) std::thread([this, member = n_helpers_ + 1] { help(member); }).detach();
    } catch (const std::system_error&) {  // the others do the work
    }
  }

  [[noreturn]] void help(std::size_t member) {
    for (std::uint32_t seen = 0;;) {
      wait_while(call_, seen);
      seen = call_.load(std::memory_order_acquire);
      if (!enter(member)) continue;
      take_part(member);
      // The caller waits for the last helper, once no helper can enter any more.
      if (gate_.fetch_sub(1, std::memory_order_acq_rel) == 1) gate_.notify_one();
    }
  }

  /// Returns false if the helper is too late or if there are enough without it.
  bool enter(std::size_t member) {
    std::uint32_t gate = gate_.load(std::memory_order_acquire);
    while ((gate >> kThreadsShift) > member)
      if (gate_.compare_exchange_weak(gate, gate + 1, std::memory_order_acq_rel)) return true;
    return false;
  }

  void take_part(std::size_t member) {
    is_member = true;
    try {
      (*work_)(member);
    } catch (...) {
      const std::lock_guard<std::mutex> lock(failing_);
      if (!failure_) failure_ = std::current_exception();
    }
    is_member = false;
  }

  alignas(64) std::atomic<std::uint32_t> call_{0};  ///< number of calls so far, for which helpers wait
  /// In the upper bits the number of threads of this call, 0: closed; in the lower bits the number of helpers inside.
  alignas(64) std::atomic<std::uint32_t> gate_{0};
  const TeamWork* work_ = nullptr;
  std::size_t n_helpers_ = 0;
  std::mutex failing_;
  std::exception_ptr failure_;
};

/// Teams of threads that have ended, for other threads. Helpers sleep until the process ends, so no team is destroyed.
class SpareTeams {
 public:
  Team* take() {
    const std::lock_guard<std::mutex> lock(mutex_);
    if (teams_.empty()) return std::make_unique<Team>().release();
    Team* const team = teams_.back();
    teams_.pop_back();
    return team;
  }
  void give_back(Team* team) {
    const std::lock_guard<std::mutex> lock(mutex_);
    teams_.push_back(team);
  }

  /// The only instance, which is never destroyed: threads may end after the program's other objects.
  static SpareTeams& all() {
    static SpareTeams& teams = *std::make_unique<SpareTeams>().release();
    return teams;
  }

 private:
  std::mutex mutex_;
  std::vector<Team*> teams_;
};

/// The team of a thread, from its first call until it ends.
class OwnTeam {
 public:
  OwnTeam() : team_(SpareTeams::all().take()) {}
  ~OwnTeam() { SpareTeams::all().give_back(team_); }
  OwnTeam(const OwnTeam&) = delete;
  OwnTeam& operator=(const OwnTeam&) = delete;

  Team& operator*() const { return *team_; }

 private:
  Team* team_;
};

}  // namespace

void run_team(std::size_t threads, TeamWork work) {
  if (threads <= 1 || is_member) return work(0);
  thread_local const OwnTeam own;
  (*own).run(threads, work);
}

}  // namespace dropmd
