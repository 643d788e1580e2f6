#pragma once

#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "core/errors.h"
#include "device/communicator/run_ranks.h"

namespace dropmd {

/// The processes of an MPI job, each of which is a rank. Only one thread of the program may use MPI at a time, which
/// this class ensures. It is the only owner of MPI.
class Ranks final : public RunRanks {
 public:
  /// Whether mpirun, srun or the like started this process as one of several.
  static bool launched();
  /// Why this build cannot join a job; empty: it can.
  static std::string problem();

  /// Joins the job of this process, once. Throws UsageError if the build has no MPI.
  Ranks();
  /// Leaves the job, when all ranks do.
  ~Ranks() override;
  Ranks(const Ranks&) = delete;
  Ranks& operator=(const Ranks&) = delete;

  int rank() const override { return rank_; }
  int size() const override { return size_; }

  std::vector<std::string> gather(const std::string& text) override;

  /// Ends a run that the ranks perform together; each rank calls it once, whether its part succeeded or failed. Returns
  /// whether the others end as well: the first rank has then told them to (RanksLeft), and all have called this.
  /// seconds: how long to wait for that.
  bool end_run(double seconds);
  /// Makes MPI end all processes of the job at once, with an exit status; this one may go on for a moment.
  static void end_job(ExitStatus status);

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
  void take_from_first(void* bytes, std::size_t n) override;

  /// What the first rank tells the others.
  struct Word {
    unsigned long long number = 0;  ///< of this word
    std::size_t n = 0;              ///< number of bytes
    bool left = false;              ///< whether it ends the run; the bytes then mean nothing
    unsigned char bytes[kMostBytes] = {};
  };
  /// Replaces word_ by that of the first rank, if it says one in time.
  bool hear_first(double seconds);

  struct Channels;
  int rank_ = 0, size_ = 1;
  std::unique_ptr<Channels> channels_;
  unsigned long long n_words_ = 0;  ///< that this rank has passed
  Word word_;                       ///< the last one; MPI may still write to it if none came in time
  bool first_has_left_ = false;
  std::mutex in_use_;
};

}  // namespace dropmd
