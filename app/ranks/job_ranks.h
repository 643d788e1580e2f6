#pragma once

#include <cstddef>
#include <vector>

#include "app/options.h"
#include "device/communicator/rank_share.h"
#include "device/communicator/ranks.h"

namespace dropmd {

/// The ranks of an MPI job, with what each sees of its host.
class JobRanks {
 public:
  /// All ranks construct it together.
  JobRanks();

  Ranks& ranks() { return ranks_; }
  int rank() const { return ranks_.rank(); }
  int size() const { return ranks_.size(); }
  /// Returns how many of the ensemble's runs a rank makes on average, rounded up.
  std::size_t runs_of_rank(std::size_t n_runs) const {
    const auto n = static_cast<std::size_t>(size());
    return (n_runs + n - 1) / n;
  }
  /// Returns the share of a rank of its host.
  RankShare share_of(int rank) const { return rank_share(views_, static_cast<std::size_t>(rank)); }
  RankShare share() const { return share_of(rank()); }
  /// Returns the name of a rank's host.
  const std::string& host_of(int rank) const { return views_[static_cast<std::size_t>(rank)].host; }

 private:
  Ranks ranks_;
  std::vector<RankView> views_{};
};

/// Throws UsageError for options that name GPUs, except all of them, since ranks divide these among themselves.
void require_no_named_devices(const GivenOptions& options);

}  // namespace dropmd
