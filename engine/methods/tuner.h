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
  std::int64_t least_steps = 2000;  ///< with fewer steps to come, or since the last time, nothing is tried
  double largest_share = 0.03;      ///< of the time of the rest of a run, for trying
  double trial_seconds = 0.1;       ///< of a trial, at least, and
  double trial_share = 0.003;       ///< of the time of the rest of the run, since longer trials are surer, but
  double longest_trial = 0.2;       ///< so many seconds at most, and
  std::int64_t trial_steps = 200;   ///< as many steps at least: several lives of a list
  double screen_seconds = 0.01;     ///< after so long, and
  std::int64_t screen_steps = 60;   ///< so many steps at least, what is far too slow is dropped
  std::int64_t warm_steps = 60;     ///< at the start of a trial, not counted: the list and, on a GPU, graphs are made
  double switch_seconds = 0.05;     ///< price of changing over, before it was timed
  int rounds = 2;                   ///< trials of candidates that are close to the fastest
  double changed = 0.2;             ///< a droplet has changed when the pairs within the cutoff have, by this share
  std::int64_t look_every = 1000;   ///< steps between two looks at the droplet, and
  double look_seconds = 0.1;        ///< the time between them, at least
  std::int64_t switch_every = 0;    ///< for tests: no clock, but each candidate in turn for so many steps; 0: by time
};

/// Chooses method, skin, edge of cells and form of a list by the time that steps take: tries them one after the other
/// in the run itself, goes on with the fastest, and tries again when the droplet has changed, or after a while, which
/// doubles. It has no clock: what it does follows from what it is told. docs/neighbor.md, "How auto chooses".
class Tuner final : public MethodSource {
 public:
  Tuner(TunerTask task, const TunerPolicy& policy, MethodLog log);

  MethodChoice first() const override;
  MethodRequest next(const StepReport& report, const std::function<StepSums()>& sums) override;
  bool takes_refusal() const override { return policy_.switch_every == 0; }

 private:
  enum class Stage { resting, warming, trying };

  struct Trial {
    std::int64_t warm_steps = 0, steps = 0;  ///< made so far
    double warm_seconds = 0, seconds = 0;
  };

  std::int64_t steps_left(std::int64_t step) const { return task_.steps - step; }
  MethodRequest in_turn(std::int64_t step);
  bool due(const StepReport& report, const std::function<StepSums()>& sums);
  bool has_changed(const PairSums& pairs);
  MethodRequest begin(const StepReport& report, const PairSums& pairs);
  MethodRequest begin_trial(std::int64_t step);
  MethodRequest piece(std::int64_t step, std::int64_t steps) const;
  MethodRequest go_on(const StepReport& report);
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
  std::string reason_;     ///< of this tuning
  std::string cut_short_;  ///< why not all was tried; empty otherwise
  double spent_ = 0;       ///< seconds that this tuning cost beyond what the fastest candidate would have taken
  double switch_seconds_;  ///< price of changing over, as known so far
  TunerCandidate chosen_;
  std::int64_t left_ = 0;  ///< steps of the run after the beginning of this tuning
  std::int64_t n_tunings_ = 0;
  std::int64_t tuned_at_ = 0;     ///< step of the last choice
  double wait_ = 0;               ///< seconds until the next tuning of a droplet that does not change
  double cost_ = 0;               ///< of the last tuning
  std::uint64_t pairs_then_ = 0;  ///< within the cutoff, at the last tuning
  std::size_t turn_ = 0;
};

}  // namespace dropmd
