#include "engine/methods/tuner.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "engine/methods/method.h"

namespace dropmd {

namespace {

/// The method of all pairs is not tried if it has this many times the pairs of a list: one of its pairs costs no less
/// than a quarter of a pair of a list (docs/experiments.md).
constexpr double kHopelessPairs = 8;
/// Share of the time of a trial that a fair candidate loses against the fastest, for the estimate beforehand.
constexpr double kUsualLoss = 0.1;
/// The usual number of candidates that are tried again.
constexpr double kUsuallyClose = 3;
constexpr double kUnknown = std::numeric_limits<double>::infinity();

}  // namespace

Tuner::Tuner(TunerTask task, const TunerPolicy& policy, MethodLog log)
    : task_(std::move(task)),
      policy_(policy),
      log_(std::move(log)),
      candidates_(task_, policy.rounds),
      switch_seconds_(policy.switch_seconds),
      chosen_{.method = 0, .skin = task_.methods.front().skin} {}

MethodChoice Tuner::first() const { return choice(0, chosen_); }

MethodChoice Tuner::choice(std::int64_t step, const TunerCandidate& candidate) const {
  const TunerMethod& method = task_.methods[candidate.method];
  return {step, method.neighbor, candidate.skin, method.cell_share, method.list_form};
}

MethodRequest Tuner::next(const StepReport& report, const std::function<StepSums()>& sums) {
  if (policy_.switch_every > 0) return in_turn(report.step);
  if (stage_ != Stage::resting) return report.refused ? leave_out(report) : next_trial(report);
  if (!due(report, sums)) return rest(report.step);
  return begin(report, sums().pairs);
}

/// Tries methods, edges and forms and, if skins are open, three skins of each, one after the other.
MethodRequest Tuner::in_turn(std::int64_t step) {
  const std::size_t n = task_.methods.size(), round = turn_ / n;
  TunerCandidate candidate{.method = turn_ % n, .skin = task_.methods[turn_ % n].skin};
  if (task_.skins_are_open())
    candidate.skin = std::min(candidate.skin * std::pow(TunerCandidates::kSkinStep, round % 3), task_.longest_skin);
  ++turn_;
  return {choice(step, candidate), step + policy_.switch_every, false};
}

MethodRequest Tuner::rest(std::int64_t step) const {
  const double in_time = chosen_.seconds > 0 && chosen_.seconds < kUnknown ? policy_.look_seconds / chosen_.seconds : 0;
  const auto look = std::max(policy_.look_every, static_cast<std::int64_t>(in_time));
  return {choice(step, chosen_), step + look, false};
}

/// Returns whether it is time to tune, and worth it; sets the reason.
bool Tuner::due(const StepReport& report, const std::function<StepSums()>& sums) {
  if (steps_left(report.step) < policy_.least_steps) return false;
  if (n_tunings_ == 0) {
    reason_ = "at the start";
    return true;
  }
  const std::int64_t since = report.step - tuned_at_;
  const double seconds = static_cast<double>(since) * chosen_.seconds;
  const double left = static_cast<double>(steps_left(report.step)) * chosen_.seconds;
  const double pays_after = cost_ / policy_.largest_share;
  if (since < policy_.least_steps || seconds < pays_after || left < pays_after) return false;
  if (has_changed(sums().pairs)) return true;
  if (seconds < wait_) return false;
  wait_ *= 2;
  reason_ = fmt::format("{} steps later", since);
  return true;
}

/// Returns whether the droplet has evaporated or spread; if so, sets the reason and resets the wait.
bool Tuner::has_changed(const PairSums& pairs) {
  const double then = std::max(1.0, static_cast<double>(pairs_then_));
  const double change = static_cast<double>(pairs.pairs_within_cutoff) / then - 1;
  if (std::abs(change) <= policy_.changed) return false;
  wait_ = 0;
  candidates_.reset_slow();
  reason_ = fmt::format("pairs within the cutoff {} by {:.0f}%", change > 0 ? "grew" : "fell", 100 * std::abs(change));
  return true;
}

MethodRequest Tuner::begin(const StepReport& report, const PairSums& pairs) {
  const double all_pairs = 0.5 * static_cast<double>(task_.n_atoms) * static_cast<double>(task_.n_atoms);
  candidates_.begin(chosen_, all_pairs > kHopelessPairs * static_cast<double>(pairs.candidate_pairs));
  candidates_.next();
  cut_short_.clear();
  left_ = steps_left(report.step);
  spent_ = 0;
  pairs_then_ = pairs.pairs_within_cutoff;
  return begin_trial(report.step);
}

MethodRequest Tuner::begin_trial(std::int64_t step) {
  trial_ = {};
  stage_ = Stage::warming;
  return piece(step, policy_.warm_steps);
}

MethodRequest Tuner::piece(std::int64_t step, std::int64_t steps) const {
  return {choice(step, candidates_.tried()), step + std::max<std::int64_t>(1, steps), true};
}

/// Returns the number of steps of a trial whose steps take that many seconds.
std::int64_t Tuner::trial_steps(double seconds) const {
  const double share = policy_.trial_share * static_cast<double>(left_) * seconds;
  const double time = std::clamp(share, policy_.trial_seconds, policy_.longest_trial);
  return std::max(policy_.trial_steps, static_cast<std::int64_t>(std::ceil(time / seconds)));
}

MethodRequest Tuner::leave_out(const StepReport& report) {
  candidates_.leave_out();
  log_(report.step, fmt::format("{} is left out: it cannot be used here", words_of(candidates_.tried())), {});
  return end_trial(report);
}

/// Continues after a piece of a trial.
MethodRequest Tuner::next_trial(const StepReport& report) {
  // Seconds per step: avoids a division by zero if the clock stands still.
  constexpr double kShortest = 1e-9;
  if (report.switch_seconds > 0) {
    switch_seconds_ = report.switch_seconds;
    spent_ += report.switch_seconds;
  }
  if (stage_ == Stage::warming) {
    trial_.warm_steps = report.steps;
    trial_.warm_seconds = report.seconds;
    stage_ = Stage::trying;
    const double best = candidates_.fastest().seconds;
    const double in_time = best < kUnknown ? policy_.screen_seconds / best : 0;
    return piece(report.step, std::max(policy_.screen_steps, static_cast<std::int64_t>(in_time)));
  }
  trial_.steps += report.steps;
  trial_.seconds += report.seconds;
  const double seconds =
      std::max(kShortest, trial_.seconds / static_cast<double>(std::max<std::int64_t>(1, trial_.steps)));
  TunerCandidate& candidate = candidates_.tried();
  const std::int64_t missing = trial_steps(seconds) - trial_.steps;
  // A short piece tells little about how long the whole trial will take.
  constexpr std::int64_t kMoreAtOnce = 8;
  if (missing > 0 && !candidates_.too_slow(seconds))
    return piece(report.step, std::min(missing, kMoreAtOnce * trial_.steps));
  candidate.seconds = std::min(candidate.seconds, seconds);
  ++candidate.trials;
  return end_trial(report);
}

MethodRequest Tuner::end_trial(const StepReport& report) {
  const double best = candidates_.fastest().seconds;
  const double steps = static_cast<double>(trial_.warm_steps + trial_.steps);
  if (candidates_.tries_another()) spent_ += std::max(0.0, trial_.warm_seconds + trial_.seconds - steps * best);
  stop_if_too_dear(report.step);
  if (cut_short_.empty() && candidates_.next()) return begin_trial(report.step);
  conclude(report.step);
  return rest(report.step);
}

/// Ends the tuning if it costs more than the rest of the run can gain.
void Tuner::stop_if_too_dear(std::int64_t step) {
  const double left = static_cast<double>(steps_left(step)) * candidates_.fastest().seconds;
  const double may_spend = policy_.largest_share * left;
  if (spent_ > may_spend)
    cut_short_ = "the rest was not tried: it would cost too much";
  else if (candidates_.all().front().trials == 1 && spent_ == 0 && expected_cost() > may_spend)
    cut_short_ = fmt::format("nothing else was tried: the rest of the run, {:.2g} s, is too short for it", left);
}

/// Returns the expected cost of trying all other candidates once the first has been timed: seconds lost against
/// continuing with it.
double Tuner::expected_cost() const {
  const double step = candidates_.all().front().seconds;
  const auto others = static_cast<double>(candidates_.usual_others());
  const auto steps = static_cast<double>(policy_.warm_steps + trial_steps(step));
  const double trials = others + kUsuallyClose * (policy_.rounds - 1);
  return trials * (switch_seconds_ + kUsualLoss * step * steps);
}

void Tuner::conclude(std::int64_t step) {
  const std::size_t chosen = candidates_.choose();
  chosen_ = candidates_.all()[chosen];
  std::string others;
  for (std::size_t k = 0; k < candidates_.all().size(); ++k)
    if (const TunerCandidate& candidate = candidates_.all()[k]; k != chosen && candidate.seconds < kUnknown)
      others +=
          fmt::format("{}{}: {:.4g}", others.empty() ? "tried: " : "; ", words_of(candidate), 1e6 * candidate.seconds);
  if (!cut_short_.empty()) others += (others.empty() ? "" : "; ") + cut_short_;
  log_(step, fmt::format("{}, {:.4g} us a step (timed {})", words_of(chosen_), 1e6 * chosen_.seconds, reason_), others);
  stage_ = Stage::resting;
  ++n_tunings_;
  tuned_at_ = step;
  cost_ = std::max(spent_, expected_cost());
  wait_ = std::max(wait_, 2 * cost_ / policy_.largest_share);
}

/// Describes edge and form if there is more than one.
std::string Tuner::words_of(const TunerCandidate& candidate) const {
  const TunerMethod& method = task_.methods[candidate.method];
  const bool several = std::count_if(task_.methods.begin(), task_.methods.end(),
                                     [&](const TunerMethod& other) { return other.neighbor == method.neighbor; }) > 1;
  std::string text(word_of(method.neighbor));
  if (several && method.list_form != ListForm::automatic) text += fmt::format(" ({})", word_of(method.list_form));
  std::string_view joint = " with ";
  if (several && method.cell_share > 0) {
    const double edge = method.cell_share * (task_.cutoff + candidate.skin);
    text += fmt::format("{}an edge of {:.3g} {}", std::exchange(joint, " and "), edge, task_.length_unit);
  }
  if (candidate.skin > 0) text += fmt::format("{}a skin of {:.3g} {}", joint, candidate.skin, task_.length_unit);
  return text;
}

}  // namespace dropmd
