#pragma once

#include <barrier>
#include <cstring>
#include <exception>
#include <functional>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "device/communicator/run_ranks.h"

namespace dropmd {

/// Ranks that are threads of this process, instead of processes of an MPI job.
class ThreadRanks {
 public:
  explicit ThreadRanks(int size) : meeting_(size), texts_(static_cast<std::size_t>(size)) {}

  /// Calls part(rank) for all ranks at the same time; throws what the first one threw.
  void run(const std::function<void(RunRanks&)>& part) {
    std::vector<std::jthread> threads;
    std::vector<std::exception_ptr> failures(texts_.size());
    for (int k = 0; k < static_cast<int>(texts_.size()); ++k)
      threads.emplace_back([&, k] {
        One rank(*this, k);
        try {
          part(rank);
        } catch (...) {
          failures[static_cast<std::size_t>(k)] = std::current_exception();
        }
        rank.leave();
      });
    threads.clear();
    for (const std::exception_ptr& failure : failures)
      if (failure) std::rethrow_exception(failure);
  }

 private:
  class One final : public RunRanks {
   public:
    One(ThreadRanks& all, int rank) : all_(all), rank_(rank) {}
    int rank() const override { return rank_; }
    int size() const override { return static_cast<int>(all_.texts_.size()); }
    std::vector<std::string> gather(const std::string& text) override {
      all_.texts_[static_cast<std::size_t>(rank_)] = text;
      all_.meeting_.arrive_and_wait();
      std::vector<std::string> texts = all_.texts_;
      all_.meeting_.arrive_and_wait();
      return texts;
    }
    /// The others go on without this one, except that the first one ends the run of all.
    void leave() {
      if (rank_ == 0) all_.first_has_left_ = true;
      all_.meeting_.arrive_and_drop();
    }

   private:
    void take_from_first(void* bytes, std::size_t n) override {
      if (rank_ == 0) all_.word_.assign(static_cast<const char*>(bytes), n);
      all_.meeting_.arrive_and_wait();
      if (rank_ != 0 && all_.first_has_left_) throw RanksLeft();
      if (all_.word_.size() != n) throw std::logic_error("ranks are not at the same call");
      std::memcpy(bytes, all_.word_.data(), n);
      all_.meeting_.arrive_and_wait();
    }

    ThreadRanks& all_;
    int rank_;
  };

  std::barrier<> meeting_;
  std::vector<std::string> texts_;  ///< by rank
  std::string word_;                ///< of the first one
  bool first_has_left_ = false;
};

}  // namespace dropmd
