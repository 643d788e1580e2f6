#pragma once

#include <mutex>
#include <optional>
#include <string>
#include <vector>

namespace dropmd {

/// The processes of an MPI job, each of which is a rank. One thread of the program may use MPI at a time; this sees to
/// it. The only owner of MPI.
class Ranks {
 public:
  /// Whether mpirun, srun or the like started this process as one of several.
  static bool launched();
  /// Why this build cannot join a job; empty: it can.
  static std::string problem();

  /// Joins the job of this process, once. Throws UsageError if the build has no MPI.
  Ranks();
  /// Leaves the job, when all ranks do.
  ~Ranks();
  Ranks(const Ranks&) = delete;
  Ranks& operator=(const Ranks&) = delete;

  int rank() const { return rank_; }
  int size() const { return size_; }

  /// Returns the texts of all ranks, by rank. All ranks must call it.
  std::vector<std::string> gather(const std::string& text) const;

  /// A text from another rank.
  struct Letter {
    int from;
    std::string text;
  };
  /// Sends a text to another rank, which need not wait for it.
  void send(int to, const std::string& text);
  /// Returns the oldest text that has arrived; nullopt: there is none. Does not wait.
  std::optional<Letter> receive();
  /// Waits for a text; looks for one every few milliseconds.
  Letter wait_for_letter();

 private:
  int rank_ = 0, size_ = 1;
  std::mutex in_use_;
};

}  // namespace dropmd
