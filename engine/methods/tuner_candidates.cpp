#include "engine/methods/tuner_candidates.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "engine/methods/catalogue.h"

namespace dropmd {

namespace {

/// A candidate slower than the fastest by this factor is dropped, and so are its other parameters.
constexpr double kFarTooSlow = 1.3;
/// Candidates within kFair of the fastest are tried a second time; those within kClose as often as the policy says, in
/// turn. The shortest time counts, so that other load on the machine does not decide.
constexpr double kFair = 1.6, kClose = 1.1;
/// A candidate is replaced only by one that is faster by more than this factor.
constexpr double kWorthSwitching = 1.01;
constexpr double kUnknown = std::numeric_limits<double>::infinity();

}  // namespace

TunerCandidates::TunerCandidates(TunerTask task, int rounds)
    : task_(std::move(task)), rounds_(rounds), slow_(task_.methods.size(), false) {
  for (auto method = task_.methods.begin(); method != task_.methods.end(); ++method)
    leads_.push_back(std::none_of(task_.methods.begin(), method,
                                  [&](const TunerMethod& before) { return before.neighbor == method->neighbor; }));
}

void TunerCandidates::begin(const TunerCandidate& in_use, bool without_all_pairs) {
  candidates_.clear();
  queue_.clear();
  queue({.method = in_use.method, .skin = in_use.skin});
  for (std::size_t m = 0; m < task_.methods.size(); ++m) {
    const NeighborMethod word = task_.methods[m].neighbor;
    if (word == word_of(in_use) || !leads_[m] || slow_[m]) continue;
    if (without_all_pairs && !needs_cutoff(word)) continue;
    queue({.method = m, .skin = task_.methods[m].skin});
  }
  std::reverse(queue_.begin(), queue_.end());
}

bool TunerCandidates::next() {
  if (queue_.empty() && !queue_parameters() && !queue_again()) return false;
  tried_ = queue_.back();
  queue_.pop_back();
  return true;
}

void TunerCandidates::leave_out() {
  const std::size_t method = tried().method;
  slow_[method] = true;
  std::erase_if(queue_, [&](std::size_t k) { return candidates_[k].method == method; });
}

std::size_t TunerCandidates::choose() {
  for (std::size_t m = 0; m < task_.methods.size(); ++m) {
    const std::size_t of_word = fastest_of_word(task_.methods[m].neighbor), mine = fastest_of_method(m);
    if (of_word != kNone) leads_[m] = candidates_[of_word].method == m;
    if (mine == kNone) continue;
    task_.methods[m].skin = candidates_[mine].skin;
    if (too_slow(candidates_[mine].seconds)) slow_[m] = true;
  }
  const TunerCandidate& best = fastest();
  return candidates_[0].seconds <= kWorthSwitching * best.seconds
             ? 0
             : static_cast<std::size_t>(&best - candidates_.data());
}

/// Returns kNone if none of those that count was timed.
template <class Predicate>
std::size_t TunerCandidates::fastest_of(const Predicate& counts) const {
  std::size_t best = kNone;
  for (std::size_t k = 0; k < candidates_.size(); ++k)
    if (candidates_[k].seconds < kUnknown && counts(candidates_[k]) &&
        (best == kNone || candidates_[k].seconds < candidates_[best].seconds))
      best = k;
  return best;
}

std::size_t TunerCandidates::fastest_of_word(NeighborMethod word) const {
  return fastest_of([&](const TunerCandidate& candidate) { return word_of(candidate) == word; });
}

std::size_t TunerCandidates::fastest_of_method(std::size_t method) const {
  return fastest_of([&](const TunerCandidate& candidate) { return candidate.method == method; });
}

const TunerCandidate& TunerCandidates::fastest() const {
  const std::size_t k = fastest_of([](const TunerCandidate&) { return true; });
  return candidates_[k == kNone ? 0 : k];
}

bool TunerCandidates::too_slow(double seconds) const { return seconds > kFarTooSlow * fastest().seconds; }

std::size_t TunerCandidates::usual_others() const {
  std::size_t parameters = 0;
  for (std::size_t m = 0; m < task_.methods.size(); ++m)
    parameters += m != candidates_[0].method && task_.methods[m].neighbor == word_of(candidates_[0]) && !slow_[m];
  return candidates_.size() - 1 + parameters + (task_.skins_are_open() ? 2 : 0);
}

void TunerCandidates::queue(const TunerCandidate& candidate) {
  queue_.push_back(candidates_.size());
  candidates_.push_back(candidate);
}

/// power: that of another candidate with the same method.
void TunerCandidates::queue_skin(const TunerCandidate& best, int power) {
  const double skin = best.skin * std::pow(kSkinStep, power - best.power);
  const bool known = std::any_of(candidates_.begin(), candidates_.end(), [&](const TunerCandidate& other) {
    return other.method == best.method && other.power == power;
  });
  if (known || skin <= 0 || skin < task_.shortest_skin || skin > task_.longest_skin) return;
  queue({.method = best.method, .skin = skin, .power = power});
}

/// Queues each method whose word may win or, if it has been tried, the next shorter and the next longer skin beside its
/// best one, unless they have been tried. Returns false if nothing was queued.
bool TunerCandidates::queue_parameters() {
  for (std::size_t m = 0; m < task_.methods.size(); ++m) {
    const std::size_t of_word = fastest_of_word(task_.methods[m].neighbor), mine = fastest_of_method(m);
    if (slow_[m] || of_word == kNone || too_slow(candidates_[of_word].seconds)) continue;
    if (mine == kNone) {
      queue({.method = m, .skin = task_.methods[m].skin});
    } else if (!too_slow(candidates_[mine].seconds)) {
      const TunerCandidate best = candidates_[mine];
      for (const int power : {best.power - 1, best.power + 1}) queue_skin(best, power);
    }
  }
  return !queue_.empty();
}

/// Queues another trial of all fair candidates, then of all that are close to the fastest. Returns false if they had
/// enough trials, or if there is only one.
bool TunerCandidates::queue_again() {
  const double best = fastest().seconds;
  for (const auto& [limit, trials] :
       {std::pair(kFair * best, std::min(2, rounds_)), std::pair(kClose * best, rounds_)}) {
    std::vector<std::size_t> near;
    for (std::size_t k = candidates_.size(); k-- > 0;)
      if (candidates_[k].seconds <= limit) near.push_back(k);
    if (near.size() < 2) return false;
    std::erase_if(near, [&, most = trials](std::size_t k) { return candidates_[k].trials >= most; });
    queue_ = near;
    if (!queue_.empty()) return true;
  }
  return false;
}

}  // namespace dropmd
