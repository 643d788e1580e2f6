#pragma once

#include <cstddef>
#include <limits>
#include <vector>

#include "engine/methods/tuner_task.h"

namespace dropmd {

/// A candidate of a tuner: a method with a skin, which is that at the start of the tuning times kSkinStep^power.
struct TunerCandidate {
  std::size_t method = 0;  ///< index in the task's methods
  double skin = 0;
  int power = 0;
  double seconds = std::numeric_limits<double>::infinity();  ///< per step; infinity: not yet timed
  int trials = 0;
};

/// Decides which candidates a tuning tries, one after the other: the methods; then, of each that may win, its other
/// edges and forms, and of each of these that may win, its other skins; then the best of all once more. The results
/// serve the next tuning.
class TunerCandidates {
 public:
  /// Ratio of two successive skins. Near the best one the cost of pairs beyond the cutoff grows with the skin as that
  /// of building decreases, each about a tenth of a step: the best of a series with this ratio is within 1% of the
  /// optimum.
  static constexpr double kSkinStep = 1.6;

  /// rounds: number of trials of candidates that are close to the fastest.
  TunerCandidates(TunerTask task, int rounds);

  /// Begins a tuning of a run that uses `in_use`. without_all_pairs: all pairs are not a candidate.
  void begin(const TunerCandidate& in_use, bool without_all_pairs);
  /// Advances to the next candidate, which at first is the one in use. Returns false if there is none.
  bool next();
  TunerCandidate& tried() { return candidates_[tried_]; }
  const TunerCandidate& tried() const { return candidates_[tried_]; }
  bool tries_another() const { return tried_ > 0; }
  /// Leaves out the candidate being tried, which cannot be used here: it is not tried again with any skin.
  void leave_out();
  /// Ends the tuning. Returns the index of the best candidate: the one that was in use unless another is sufficiently
  /// faster.
  std::size_t choose();
  /// Lets methods that were far too slow be tried again.
  void reset_slow() { slow_.assign(slow_.size(), false); }

  const std::vector<TunerCandidate>& all() const { return candidates_; }  ///< of this tuning; the first was in use
  /// The fastest candidate that was timed; the first if none was.
  const TunerCandidate& fastest() const;
  /// Whether a time per step is far above the fastest.
  bool too_slow(double seconds) const;
  /// Returns the approximate number of other candidates that a tuning that has just begun will try.
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

  TunerTask task_;  ///< with the best skins so far
  int rounds_;
  std::vector<bool> leads_;  ///< [methods] the first to be tried of those with the same word
  std::vector<bool> slow_;   ///< [methods] far too slow, until the droplet changes
  std::vector<TunerCandidate> candidates_;
  std::vector<std::size_t> queue_;  ///< candidates still to be tried, the next one last
  std::size_t tried_ = 0;
};

}  // namespace dropmd
