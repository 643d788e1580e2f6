#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>

#include "engine/methods/method_source.h"
#include "engine/methods/tuner_candidates.h"

namespace dropmd {

/// How long a tuner tries, and how much that may cost.
struct TunerPolicy {
  std::int64_t least_steps = 2000;  ///< no tuning with fewer steps to come, or fewer since the last tuning
  double largest_share = 0.03;      ///< fraction of the rest of a run's time that tuning may take
  double trial_seconds = 0.1;       ///< shortest trial
  /// Length of a trial as a fraction of the rest of the run's time, since longer trials are more certain.
  double trial_share = 0.003;
  double longest_trial = 0.2;      ///< upper limit of that length, seconds
  std::int64_t trial_steps = 200;  ///< fewest steps of a trial: several lifetimes of a list
  double screen_seconds = 0.01;    ///< shortest time after which a candidate that is far too slow is dropped
  /// Fewest steps after which it is dropped.
  std::int64_t screen_steps = 60;
  /// First steps of a trial, not counted: the list and, on a GPU, graphs are built.
  std::int64_t warm_steps = 60;
  double switch_seconds = 0.05;  ///< cost of changing the method, until it has been measured
  int rounds = 2;                ///< number of trials of candidates that are close to the fastest
  /// Relative change of the pairs within the cutoff from which a droplet counts as changed.
  double changed = 0.2;
  std::int64_t look_every = 1000;  ///< fewest steps between two evaluations of the droplet
  double look_seconds = 0.1;       ///< shortest time between them
  /// For tests: no clock, but each candidate in turn for this many steps; 0: by time.
  std::int64_t switch_every = 0;
};

/// Chooses method, skin, edge of cells and form of a list by measured step times: it tries them one after the other in
/// the run itself, continues with the fastest, and tries again when the droplet has changed, or after a waiting time,
/// which doubles. It has no clock of its own: its decisions follow from the reports. docs/neighbor.md, "How auto
/// chooses".
class Tuner final : public MethodSource {
 public:
  Tuner(TunerTask task, const TunerPolicy& policy, MethodLog log);

  MethodChoice first() const override;
  MethodRequest next(const StepReport& report, const std::function<StepSums()>& sums) override;
  bool takes_refusal() const override { return policy_.switch_every == 0; }

 private:
  enum class Stage { resting, warming, trying };

  struct Trial {
    std::int64_t warm_steps = 0, steps = 0;  ///< so far
    double warm_seconds = 0, seconds = 0;
  };

  std::int64_t steps_left(std::int64_t step) const { return task_.steps - step; }
  MethodRequest in_turn(std::int64_t step);
  bool due(const StepReport& report, const std::function<StepSums()>& sums);
  bool has_changed(const PairSums& pairs);
  MethodRequest begin(const StepReport& report, const PairSums& pairs);
  MethodRequest begin_trial(std::int64_t step);
  MethodRequest piece(std::int64_t step, std::int64_t steps) const;
  MethodRequest next_trial(const StepReport& report);
  MethodRequest leave_out(const StepReport& report);
  std::int64_t trial_steps(double seconds) const;
  MethodRequest end_trial(const StepReport& report);
  void stop_if_too_dear(std::int64_t step);
  double expected_cost() const;
  void conclude(std::int64_t step);
  MethodRequest rest(std::int64_t step) const;
  MethodChoice choice(std::int64_t step, const TunerCandidate& candidate) const;
  std::string words_of(const TunerCandidate& candidate) const;

  TunerTask task_;
  TunerPolicy policy_;
  MethodLog log_;
  Stage stage_ = Stage::resting;
  TunerCandidates candidates_;
  Trial trial_;
  std::string reason_;     ///< for this tuning
  std::string cut_short_;  ///< why not everything was tried; else empty
  /// Seconds that this tuning cost beyond what the fastest candidate would have taken.
  double spent_ = 0;
  double switch_seconds_;  ///< cost of changing the method, as known so far
  TunerCandidate chosen_;
  std::int64_t left_ = 0;  ///< steps of the run after the start of this tuning
  std::int64_t n_tunings_ = 0;
  std::int64_t tuned_at_ = 0;     ///< step of the last choice
  double wait_ = 0;               ///< seconds until the next tuning if the droplet does not change
  double cost_ = 0;               ///< seconds of the last tuning
  std::uint64_t pairs_then_ = 0;  ///< pairs within the cutoff at the last tuning
  std::size_t turn_ = 0;
};

}  // namespace dropmd
