#pragma once

#include <cstddef>
#include <limits>
#include <vector>

#include "engine/methods/tuner_task.h"

namespace dropmd {

/// What a tuner tries: a method with a skin, which is the one that it had at the start of the tuning times
/// kSkinStep^power.
struct TunerCandidate {
  std::size_t method = 0;  ///< of the task's
  double skin = 0;
  int power = 0;
  double seconds = std::numeric_limits<double>::infinity();  ///< a step; infinity: not yet timed
  int trials = 0;
};

/// Which candidates a tuning tries, one after the other: the methods; then of each that may win its other edges and
/// forms, and of each of these that may win its other skins; then the best of all once more. What it finds serves the
/// next tuning.
class TunerCandidates {
 public:
  /// Between two skins that are tried. Around the best one the price of pairs beyond the cutoff grows with the skin as
  /// that of building falls, each about a tenth of a step: the best of a series of such steps is within 1% of the best
  /// of all.
  static constexpr double kSkinStep = 1.6;

  /// rounds: trials of candidates that are close to the fastest.
  TunerCandidates(TunerTask task, int rounds);

  /// Begins a tuning of a run that is made in that way; without_all_pairs: they are no other way to try.
  void begin(const TunerCandidate& in_use, bool without_all_pairs);
  /// Goes on to the next candidate, the first time the one in use. False: there is none.
  bool next();
  TunerCandidate& tried() { return candidates_[tried_]; }
  const TunerCandidate& tried() const { return candidates_[tried_]; }
  bool tries_another() const { return tried_ > 0; }
  /// The candidate that is being tried cannot be used here: it is not tried again, with no skin.
  void leave_out();
  /// Ends the tuning. The index of the best candidate: the one that was in use unless another is worth it.
  std::size_t choose();
  /// Methods that were far too slow are tried again.
  void reset_slow() { slow_.assign(slow_.size(), false); }

  const std::vector<TunerCandidate>& all() const { return candidates_; }  ///< of this tuning; the first was in use
  /// The fastest that was timed; the first where none was.
  const TunerCandidate& fastest() const;
  bool too_slow(double seconds) const;
  /// How many others a tuning tries that has just begun, about.
  std::size_t usual_others() const;

 private:
  static constexpr std::size_t kNone = std::numeric_limits<std::size_t>::max();

  NeighborMethod word_of(const TunerCandidate& candidate) const { return task_.methods[candidate.method].neighbor; }
  template <class Predicate>
  std::size_t fastest_of(const Predicate& counts) const;
  std::size_t fastest_of_word(NeighborMethod word) const;
  std::size_t fastest_of_method(std::size_t method) const;
  void queue(const TunerCandidate& candidate);
  void queue_skin(const TunerCandidate& best, int power);
  bool queue_parameters();
  bool queue_again();

  TunerTask task_;  ///< skins: the best so far
  int rounds_;
  std::vector<bool> leads_;  ///< [methods] first to be tried of those with the same word
  std::vector<bool> slow_;   ///< [methods] far too slow, as long as the droplet does not change
  std::vector<TunerCandidate> candidates_;
  std::vector<std::size_t> queue_;  ///< of candidates still to be tried, the next one last
  std::size_t tried_ = 0;
};

}  // namespace dropmd
