#include "engine/device/peers/peer_run.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>
#include <stdexcept>
#include <string>

#include "core/errors.h"
#include "inputs/run_file/run_config.h"
#include "tests/support/thread_ranks.h"

/// The calls of a run on several GPUs, with peers that have no GPU: they wait for each other as GPUs do.
namespace dropmd {
namespace {

/// Where peers wait for each other until all are there, or until one abandons the others.
class Meeting {
 public:
  explicit Meeting(std::uint32_t size) : size_(size) {}
  void wait() {
    std::unique_lock lock(mutex_);
    const int round = round_;
    if (++arrived_ == size_) {
      arrived_ = 0;
      ++round_;
      changed_.notify_all();
    }
    changed_.wait(lock, [&] { return round_ != round || abandoned_; });
    if (round_ == round) throw DeviceError("abandoned");
  }
  void abandon() {
    const std::scoped_lock lock(mutex_);
    abandoned_ = true;
    changed_.notify_all();
  }

 private:
  std::uint32_t size_, arrived_ = 0;
  int round_ = 0;
  bool abandoned_ = false;
  std::mutex mutex_;
  std::condition_variable changed_;
};

/// What the peers of a test have done.
struct World {
  explicit World(std::uint32_t size) : meeting(size) {}
  std::uint32_t fails_in_start = 99;  ///< rank
  std::uint32_t disagrees = 99;       ///< rank
  Meeting meeting;
  std::mutex mutex;
  std::multiset<std::thread::id> made_by, ended_by, called_by;
};

class FakeRun final : public DeviceRun {
 public:
  FakeRun(World& world, std::uint32_t rank) : world_(world), rank_(rank) {
    note(world_.made_by);
    world_.meeting.wait();
  }
  ~FakeRun() override { note(world_.ended_by); }
  FakeRun(const FakeRun&) = delete;
  FakeRun& operator=(const FakeRun&) = delete;

  bool upload(const Particles&, std::int64_t step) override {
    world_.meeting.wait();
    step_ = step;
    return true;
  }
  void begin_with(std::span<const std::vector<double>>) override {}
  void keep() override {}
  bool start(std::int64_t last, const StepWants&) override {
    note(world_.called_by);
    if (rank_ == world_.fails_in_start) throw DeviceError("rank " + std::to_string(rank_) + " failed");
    world_.meeting.wait();
    step_ = last;
    return false;
  }
  std::int64_t starts_freely_until() const override { return 7; }
  Progress finish() override {
    world_.meeting.wait();
    Progress progress{step_};
    progress.energies.emplace();
    progress.energies->energies = Energies({{"vdw", rank_ == world_.disagrees ? -1.0 : -2.0}}, 3.0);
    return progress;
  }
  void download(Particles&, std::span<Vec3<double>>) override { downloads_ += 1; }
  DeviceArrays arrays() const override { return {}; }
  std::vector<Vec3<double>> slow_force() override { return {{1.0, 2.0, static_cast<double>(rank_)}}; }
  std::vector<double> internal_state() override { return {static_cast<double>(rank_)}; }
  void load_internal_state(std::span<const double>) override {}
  std::vector<std::vector<double>> term_states() const override { return {}; }
  Bookings bookings() override { return {}; }
  void set_bookings(const Bookings&) override {}
  ReorderInterval reordering() const override { return {}; }
  void set_reordering(const ReorderInterval&) override {}
  void settle() noexcept override {}
  void add_to(RunState&) override {}
  bool resume_from(const Particles&, const RunState&) override { return true; }
  void set_groups(const Particles&, std::size_t) override {}
  std::vector<std::uint32_t> cluster_labels(const ClusterLinks&) override { return {rank_}; }
  ForceField::Result energies() override {
    world_.meeting.wait();
    return {};
  }
  double largest_force() override { return 1.0 + rank_; }

 private:
  void note(std::multiset<std::thread::id>& in) {
    const std::scoped_lock lock(world_.mutex);
    in.insert(std::this_thread::get_id());
  }

  World& world_;
  std::uint32_t rank_;
  std::int64_t step_ = 0;
  int downloads_ = 0;
};

std::unique_ptr<PeerRun> run_of(World& world, std::uint32_t n) {
  return std::make_unique<PeerRun>(
      n, [&world](std::uint32_t rank) { return std::make_unique<FakeRun>(world, rank); },
      [&world] { world.meeting.abandon(); });
}

template <class Call>
std::string message_of(const Call& call) {
  try {
    call();
  } catch (const DeviceError& error) {
    return error.what();
  }
  return "nothing";
}

/// Otherwise peers that wait for each other would wait for ever.
TEST(PeerRun, CallsAllPeersAtTheSameTime) {
  World world(3);
  {
    const auto run = run_of(world, 3);
    const Particles none;
    EXPECT_TRUE(run->upload(none, 5));
    const DeviceRun::Progress progress = run->advance(20, true);
    EXPECT_EQ(progress.step, 20);
    ASSERT_TRUE(progress.energies);
    EXPECT_EQ(progress.energies->energies.total(), 1.0);
    run->energies();
  }
  EXPECT_EQ(std::set(world.called_by.begin(), world.called_by.end()).size(), 3U) << "a thread each";
  EXPECT_EQ(world.ended_by, world.made_by) << "each where its device is the current one";
}

TEST(PeerRun, ReadsFromTheFirst) {
  World world(2);
  const auto run = run_of(world, 2);
  EXPECT_EQ(run->internal_state(), std::vector<double>{0.0});
  EXPECT_EQ(run->slow_force().front().z, 0.0);
  EXPECT_EQ(run->largest_force(), 1.0);
  EXPECT_EQ(run->starts_freely_until(), 7);
  EXPECT_EQ(run->cluster_labels({}), std::vector<std::uint32_t>{0});
}

TEST(PeerRun, ThrowsWhatTheFirstToFailThrew) {
  World world(3);
  world.fails_in_start = 1;
  const auto run = run_of(world, 3);
  EXPECT_EQ(message_of([&] { run->start(10, {}); }), "rank 1 failed");
}

TEST(PeerRun, ThrowsIfAPeerCannotBeMade) {
  World world(2);
  const auto make = [&](std::uint32_t rank) -> std::unique_ptr<DeviceRun> {
    if (rank == 1) throw DeviceError("too little memory");
    return std::make_unique<FakeRun>(world, rank);
  };
  EXPECT_EQ(message_of([&] { PeerRun(2, make, [&] { world.meeting.abandon(); }); }), "too little memory");
}

TEST(PeerRun, SaysThatGpusDisagree) {
  World world(2);
  world.disagrees = 1;
  const auto run = run_of(world, 2);
  EXPECT_THAT(message_of([&] { run->advance(4, true); }), testing::HasSubstr("different results for step 4"));
}

/// Each rank has a peer, and compares its results with those of the first one.
TEST(PeerRun, SaysThatGpusOfRanksDisagree) {
  for (const bool disagree : {false, true}) {
    World world(2);
    if (disagree) world.disagrees = 1;
    std::vector<std::string> messages(2);
    ThreadRanks(2).run([&](RunRanks& ranks) {
      const auto rank = static_cast<std::uint32_t>(ranks.rank());
      PeerRun run(
          1, [&](std::uint32_t) { return std::make_unique<FakeRun>(world, rank); }, [&] { world.meeting.abandon(); },
          {}, &ranks);
      messages[rank] = message_of([&] { EXPECT_EQ(run.advance(4, true).step, 4); });
    });
    for (const std::string& message : messages)
      EXPECT_THAT(message, testing::HasSubstr(disagree ? "different results for step 4" : "nothing"));
  }
}

}  // namespace
}  // namespace dropmd
