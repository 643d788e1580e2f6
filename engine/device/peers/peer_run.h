#pragma once

#include <condition_variable>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "device/communicator/run_ranks.h"
#include "engine/device/device_run.h"

namespace dropmd {

/// A thread that makes the calls of one object, one after another. (run_team() suits only work that may be done by
/// fewer threads than asked for; peers wait for each other.)
class CallingThread {
 public:
  CallingThread() : thread_([this] { work(); }) {}
  ~CallingThread();
  CallingThread(const CallingThread&) = delete;
  CallingThread& operator=(const CallingThread&) = delete;

  /// Starts a call, which must not throw; the one before must have ended.
  void start(std::function<void()> call);
  /// Waits for its end.
  void wait();

 private:
  void work();

  std::mutex mutex_;
  std::condition_variable changed_;
  std::function<void()> call_;  ///< empty: none is under way
  bool ends_ = false;
  std::thread thread_;
};

/// A run on several GPUs: each has a run of all atoms, a *peer*, which adds its forces to those of the others in every
/// step. All peers get the same calls at the same time, each from a thread of its own, since a call may wait for what
/// the GPU of another peer must do first. Since all obtain the same bits, results are read from the first one. Peers
/// may be in several processes, each of which makes the same calls of its own peers.
class PeerRun final : public DeviceRun {
 public:
  /// n_peers: those of this process. make(k): constructs the run of one of them in its thread, where it waits for the
  /// others. abandon: ends such waits when one of them fails; only destructors are called after that. describe: says
  /// how they add up forces (describe_peers()). ranks: the processes; null: this one alone.
  PeerRun(std::uint32_t n_peers, const std::function<std::unique_ptr<DeviceRun>(std::uint32_t)>& make,
          std::function<void()> abandon, std::function<std::string()> describe = {}, RunRanks* ranks = nullptr);
  ~PeerRun() override;

  bool upload(const Particles& particles, std::int64_t step) override;
  void begin_with(std::span<const std::vector<double>> term_states) override;
  void keep() override;
  bool start(std::int64_t last, const StepWants& wants) override;
  std::int64_t starts_freely_until() const override { return first().starts_freely_until(); }
  /// Throws DeviceError if the GPUs do not agree on what they computed.
  Progress finish() override;
  void download(Particles& particles, std::span<Vec3<double>> force) override;
  DeviceArrays arrays() const override { return first().arrays(); }
  std::vector<Vec3<double>> slow_force() override;
  std::vector<double> internal_state() override;
  void load_internal_state(std::span<const double> internal_state) override;
  std::vector<std::vector<double>> term_states() const override { return first().term_states(); }
  Bookings bookings() override;
  void set_bookings(const Bookings& bookings) override;
  ReorderInterval reordering() const override { return first().reordering(); }
  void set_reordering(const ReorderInterval& reordering) override;
  void settle() noexcept override;
  void add_to(RunState& state) override;
  bool resume_from(const Particles& particles, const RunState& state) override;
  void set_groups(const Particles& particles, std::size_t n_dof) override;
  std::vector<std::uint32_t> cluster_labels(const ClusterLinks& links) override;
  ForceField::Result energies() override;
  double largest_force() override;
  std::string describe_peers() const override { return describe_ ? describe_() : std::string(); }

 private:
  DeviceRun& first() const { return *peers_.front(); }
  void end_peers();
  /// Calls call(rank) for the first n peers, each in its thread, and waits. Throws what the first to fail threw.
  template <class Call>
  void in_threads(std::size_t n, const Call& call);
  /// Calls call(peer) for all of them and returns the results, by rank.
  template <class Call>
  auto of_all(const Call& call);
  /// The same for the first one alone.
  template <class Call>
  auto of_first(const Call& call);

  std::function<void()> abandon_;
  std::function<std::string()> describe_;
  RunRanks* ranks_;
  std::vector<std::unique_ptr<CallingThread>> threads_;  ///< by rank
  std::vector<std::unique_ptr<DeviceRun>> peers_;        ///< by rank; null: it could not be constructed
};

}  // namespace dropmd
