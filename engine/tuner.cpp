#include "engine/tuner.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "engine/force_field.h"

namespace dropmd {

namespace {

/// Between two skins that are tried. Around the best one the price of pairs in vain grows with the skin as that of
/// building falls, each about a tenth of a step: the best of a series of such steps is within 1% of the best of all.
constexpr double kSkinStep = 1.6;
/// A way that is slower than the fastest by this much is not looked at any further, nor are its other skins.
constexpr double kFarTooSlow = 1.3;
/// Ways as near to the fastest are tried a second time, and as often as the policy says, each in turn, and the shortest
/// time counts: so that other load on the machine does not decide.
constexpr double kFair = 1.6, kClose = 1.1;
/// A way gives place only to one that is faster by more than this.
constexpr double kWorthSwitching = 1.01;
/// All pairs of atoms per pair that a list examines from which on all pairs need not be tried: a pair of theirs costs
/// down to a quarter of a pair of a list (docs/performance.md).
constexpr double kHopelessPairs = 8;
/// What a trial of a fair way loses against the fastest, for the estimate beforehand.
constexpr double kUsualLoss = 0.1;
/// How many usually are tried again.
constexpr double kUsuallyClose = 3;
constexpr double kUnknown = std::numeric_limits<double>::infinity();

}  // namespace

Tuner::Tuner(TunerTask task, const TunerPolicy& policy, Log log)
    : task_(std::move(task)), policy_(policy), log_(std::move(log)), switch_seconds_(policy.switch_seconds) {
  chosen_.neighbor = task_.methods.front().neighbor;
  chosen_.skin = task_.methods.front().skin;
}

MethodChoice Tuner::first() const { return {0, chosen_.neighbor, chosen_.skin}; }

MethodOrder Tuner::next(const StepReport& report, const std::function<PairSums()>& pairs) {
  if (policy_.switch_every > 0) return in_turn(report.step);
  if (stage_ != Stage::resting) return report.refused ? leave_out(report) : go_on(report);
  if (!due(report, pairs)) return rest(report.step);
  return begin(report, pairs());
}

/// Methods, and where skins are open three of each, one after the other.
MethodOrder Tuner::in_turn(std::int64_t step) {
  const std::size_t n = task_.methods.size(), round = turn_ / n;
  const TunerMethod& method = task_.methods[turn_ % n];
  double skin = method.skin;
  if (skins_are_open()) skin = std::min(skin * std::pow(kSkinStep, round % 3), task_.longest_skin);
  ++turn_;
  return {{step, method.neighbor, skin}, step + policy_.switch_every, false};
}

MethodOrder Tuner::rest(std::int64_t step) const {
  const double in_time = chosen_.seconds > 0 && chosen_.seconds < kUnknown ? policy_.look_seconds / chosen_.seconds : 0;
  const auto look = std::max(policy_.look_every, static_cast<std::int64_t>(in_time));
  return {{step, chosen_.neighbor, chosen_.skin}, step + look, false};
}

/// Whether it is time to try, and it pays; sets the reason.
bool Tuner::due(const StepReport& report, const std::function<PairSums()>& pairs) {
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
  if (has_changed(pairs())) return true;
  if (seconds < wait_) return false;
  wait_ *= 2;
  reason_ = fmt::format("{} steps later", since);
  return true;
}

/// A droplet that has evaporated or spread; sets the reason, and the wait anew.
bool Tuner::has_changed(const PairSums& pairs) {
  const double then = std::max(1.0, static_cast<double>(pairs_then_));
  const double change = static_cast<double>(pairs.pairs_within_cutoff) / then - 1;
  if (std::abs(change) <= policy_.changed) return false;
  wait_ = 0;
  slow_methods_.clear();
  reason_ = fmt::format("pairs within the cutoff {} by {:.0f}%", change > 0 ? "grew" : "fell", 100 * std::abs(change));
  return true;
}

MethodOrder Tuner::begin(const StepReport& report, const PairSums& pairs) {
  ways_ = {{.neighbor = chosen_.neighbor, .skin = chosen_.skin}};
  const double all_pairs = 0.5 * static_cast<double>(task_.n_atoms) * static_cast<double>(task_.n_atoms);
  const bool hopeless = chosen_.neighbor != NeighborMethod::all_pairs &&
                        all_pairs > kHopelessPairs * static_cast<double>(pairs.pairs_examined);
  for (const auto& [method, skin] : task_.methods) {
    const bool slow = std::find(slow_methods_.begin(), slow_methods_.end(), method) != slow_methods_.end();
    if (method == chosen_.neighbor || slow || (method == NeighborMethod::all_pairs && hopeless)) continue;
    ways_.push_back({.neighbor = method, .skin = skin});
  }
  queue_.clear();
  for (std::size_t k = ways_.size(); k-- > 0;) queue_.push_back(k);
  cut_short_.clear();
  left_ = steps_left(report.step);
  spent_ = 0;
  pairs_then_ = pairs.pairs_within_cutoff;
  return begin_trial(report.step);
}

MethodOrder Tuner::begin_trial(std::int64_t step) {
  tried_ = queue_.back();
  queue_.pop_back();
  trial_ = {};
  stage_ = Stage::warming;
  return piece(step, policy_.warm_steps);
}

MethodOrder Tuner::piece(std::int64_t step, std::int64_t steps) const {
  const Way& way = ways_[tried_];
  return {{step, way.neighbor, way.skin}, step + std::max<std::int64_t>(1, steps), true};
}

/// The fastest that was timed; the first where none was.
std::size_t Tuner::fastest() const {
  const auto best =
      std::min_element(ways_.begin(), ways_.end(), [](const Way& a, const Way& b) { return a.seconds < b.seconds; });
  return static_cast<std::size_t>(best - ways_.begin());
}

/// The same of a method that is among the ways.
std::size_t Tuner::fastest_of(NeighborMethod neighbor) const {
  std::size_t best = ways_.size();
  for (std::size_t k = 0; k < ways_.size(); ++k)
    if (ways_[k].neighbor == neighbor && (best == ways_.size() || ways_[k].seconds < ways_[best].seconds)) best = k;
  return best;
}

bool Tuner::too_slow(double seconds) const { return seconds > kFarTooSlow * ways_[fastest()].seconds; }

/// Of a trial whose steps take so long.
std::int64_t Tuner::trial_steps(double seconds) const {
  const double share = policy_.trial_share * static_cast<double>(left_) * seconds;
  const double time = std::clamp(share, policy_.trial_seconds, policy_.longest_trial);
  return std::max(policy_.trial_steps, static_cast<std::int64_t>(std::ceil(time / seconds)));
}

/// What cannot be made here is not tried again, with no skin.
MethodOrder Tuner::leave_out(const StepReport& report) {
  const NeighborMethod method = ways_[tried_].neighbor;
  slow_methods_.push_back(method);
  std::erase_if(queue_, [&](std::size_t k) { return ways_[k].neighbor == method; });
  log_(report.step, fmt::format("{} is left out: it cannot be used here", words_of(ways_[tried_])));
  return end_trial(report);
}

/// After a piece of a trial.
MethodOrder Tuner::go_on(const StepReport& report) {
  constexpr double kShortest = 1e-9;  // seconds a step: no clock that stands still is divided by
  if (report.switch_seconds > 0) {
    switch_seconds_ = report.switch_seconds;
    spent_ += report.switch_seconds;
  }
  if (stage_ == Stage::warming) {
    trial_.warm_steps = report.steps;
    trial_.warm_seconds = report.seconds;
    stage_ = Stage::trying;
    const double best = ways_[fastest()].seconds;
    const double in_time = best < kUnknown ? policy_.screen_seconds / best : 0;
    return piece(report.step, std::max(policy_.screen_steps, static_cast<std::int64_t>(in_time)));
  }
  trial_.steps += report.steps;
  trial_.seconds += report.seconds;
  const double seconds =
      std::max(kShortest, trial_.seconds / static_cast<double>(std::max<std::int64_t>(1, trial_.steps)));
  Way& way = ways_[tried_];
  const std::int64_t missing = trial_steps(seconds) - trial_.steps;
  constexpr std::int64_t kMoreAtOnce = 8;  // a short piece knows little of how long the whole trial will take
  if (missing > 0 && !too_slow(seconds)) return piece(report.step, std::min(missing, kMoreAtOnce * trial_.steps));
  way.seconds = std::min(way.seconds, seconds);
  ++way.trials;
  return end_trial(report);
}

MethodOrder Tuner::end_trial(const StepReport& report) {
  const double best = ways_[fastest()].seconds;
  const double steps = static_cast<double>(trial_.warm_steps + trial_.steps);
  if (tried_ > 0) spent_ += std::max(0.0, trial_.warm_seconds + trial_.seconds - steps * best);
  stop_if_too_dear(report.step);
  if (cut_short_.empty() && (!queue_.empty() || queue_skins() || queue_again())) return begin_trial(report.step);
  conclude(report.step);
  return rest(report.step);
}

/// Ends the tuning where it costs more than the rest of the run can win.
void Tuner::stop_if_too_dear(std::int64_t step) {
  const double left = static_cast<double>(steps_left(step)) * ways_[fastest()].seconds;
  const double may_spend = policy_.largest_share * left;
  if (spent_ > may_spend)
    cut_short_ = "the rest was not tried, it would cost too much";
  else if (ways_[0].trials == 1 && spent_ == 0 && expected_cost() > may_spend)
    cut_short_ = fmt::format("nothing else was tried: the rest of the run, {:.2g} s, is too short for it", left);
}

/// Of all other ways, once the first was timed: seconds lost against going on with it.
double Tuner::expected_cost() const {
  const double step = ways_[0].seconds;
  const auto others = static_cast<double>(ways_.size() - 1 + (skins_are_open() ? 2 : 0));
  const auto steps = static_cast<double>(policy_.warm_steps + trial_steps(step));
  const double trials = others + kUsuallyClose * (policy_.rounds - 1);
  return trials * (switch_seconds_ + kUsualLoss * step * steps);
}

/// The next shorter and longer skin beside the best of each method that may win, where they were not tried. False:
/// nothing was queued.
bool Tuner::queue_skins() {
  if (!skins_are_open()) return false;
  for (const TunerMethod& method : task_.methods) {
    const std::size_t k = fastest_of(method.neighbor);
    if (k == ways_.size() || too_slow(ways_[k].seconds)) continue;
    const Way best = ways_[k];
    for (const int power : {best.power - 1, best.power + 1}) queue_skin(best, power);
  }
  return !queue_.empty();
}

/// power: another one, of the same method.
void Tuner::queue_skin(const Way& best, int power) {
  const double skin = best.skin * std::pow(kSkinStep, power - best.power);
  const bool known = std::any_of(ways_.begin(), ways_.end(), [&](const Way& other) {
    return other.neighbor == best.neighbor && other.power == power;
  });
  if (known || skin <= 0 || skin < task_.shortest_skin || skin > task_.longest_skin) return;
  queue_.push_back(ways_.size());
  ways_.push_back({.neighbor = best.neighbor, .skin = skin, .power = power});
}

/// Another trial of all that are fair, then of all that are close to the fastest. False: they had enough, or there is
/// no other.
bool Tuner::queue_again() {
  const double best = ways_[fastest()].seconds;
  for (const auto& [limit, trials] :
       {std::pair(kFair * best, std::min(2, policy_.rounds)), std::pair(kClose * best, policy_.rounds)}) {
    std::vector<std::size_t> near;
    for (std::size_t k = ways_.size(); k-- > 0;)
      if (ways_[k].seconds <= limit) near.push_back(k);
    if (near.size() < 2) return false;
    std::erase_if(near, [&, most = trials](std::size_t k) { return ways_[k].trials >= most; });
    queue_ = near;
    if (!queue_.empty()) return true;
  }
  return false;
}

/// The best skin of each method, and which are far too slow.
void Tuner::remember_methods() {
  for (TunerMethod& method : task_.methods) {
    const std::size_t k = fastest_of(method.neighbor);
    if (k == ways_.size() || !(ways_[k].seconds < kUnknown)) continue;
    method.skin = ways_[k].skin;
    if (too_slow(ways_[k].seconds)) slow_methods_.push_back(method.neighbor);
  }
}

void Tuner::conclude(std::int64_t step) {
  remember_methods();
  const std::size_t best = fastest();
  const std::size_t chosen = ways_[0].seconds <= kWorthSwitching * ways_[best].seconds ? 0 : best;
  chosen_ = ways_[chosen];
  chosen_.power = 0;
  std::string text = fmt::format("{}, {:.4g} us a step ({}", words_of(chosen_), 1e6 * chosen_.seconds, reason_);
  for (std::size_t k = 0; k < ways_.size(); ++k)
    if (k != chosen && ways_[k].seconds < kUnknown)
      text += fmt::format("; {}: {:.4g}", words_of(ways_[k]), 1e6 * ways_[k].seconds);
  if (!cut_short_.empty()) text += "; " + cut_short_;
  log_(step, text + ")");
  stage_ = Stage::resting;
  ++n_tunings_;
  tuned_at_ = step;
  cost_ = std::max(spent_, expected_cost());
  wait_ = std::max(wait_, 2 * cost_ / policy_.largest_share);
}

std::string Tuner::words_of(const Way& way) const {
  if (way.skin == 0) return std::string(word_of(way.neighbor));
  return fmt::format("{} with a skin of {:.3g} {}", word_of(way.neighbor), way.skin, task_.length_unit);
}

}  // namespace dropmd
