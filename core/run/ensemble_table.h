#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/errors.h"
#include "core/statistics/block_error.h"

namespace dropmd {

/// How far a run of an ensemble has come. A run that is waiting, running or stopped is still to be done, or to be
/// continued; the others are over.
enum class ReplicaState : std::uint8_t {
  waiting,
  running,
  stopped,  ///< by a signal or a limit of time, or because it lacked disk space, a GPU or a file
  finished,
  converged,         ///< a minimiser
  dried_up,          ///< molecules were removed until a single one was left
  not_converged,     ///< a minimiser
  out_of_tolerance,  ///< a self-check
  failed,            ///< it would fail again
};
/// By state; words of ensemble.csv.
inline constexpr std::array<std::string_view, 9> kReplicaStateWords{"waiting",       "running",          "stopped",
                                                                    "finished",      "converged",        "dried up",
                                                                    "not converged", "out of tolerance", "failed"};

constexpr std::string_view word_of(ReplicaState state) { return kReplicaStateWords[static_cast<std::size_t>(state)]; }
constexpr bool is_over(ReplicaState state) { return state >= ReplicaState::finished; }
/// Whether a run is over and reached its aim.
constexpr bool is_good(ReplicaState state) {
  return state >= ReplicaState::finished && state <= ReplicaState::dried_up;
}

/// The mean of a column of a run's table.
struct NamedMean {
  std::string name;
  MeanWithError value{};
};

/// The result of a run of an ensemble, or of its part so far.
struct ReplicaResult {
  ReplicaState state = ReplicaState::waiting;
  std::int64_t steps = 0;                ///< number of the last step
  double time = 0;                       ///< in the run's time unit
  std::vector<NamedMean> means{};        ///< of columns of energy.csv and droplet.csv
  std::string message{};                 ///< why it failed or stopped; empty: it did not
  ExitStatus status = ExitStatus::done;  ///< of the error
};

/// A run of an ensemble: a row of ensemble.csv.
struct Replica {
  std::vector<std::string> values;  ///< of the varied keys, as they were written
  std::uint64_t seed = 0;
  ReplicaResult result{};
};

/// The runs of an ensemble, in the order of their numbers, which count from 1.
struct EnsembleTable {
  std::vector<std::string> keys;  ///< the varied keys: SECTION.KEY
  std::int64_t means_from = 0;    ///< means are over the rows from this step on
  std::vector<Replica> replicas;
};

}  // namespace dropmd
