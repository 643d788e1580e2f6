#include "engine/ensemble/replica_workers.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <mutex>
#include <stdexcept>
#include <vector>

#include "tests/outputs/output_files.h"
#include "tests/support/system/temp_folder.h"

/// Workers that take runs from a source.
namespace dropmd {
namespace {

using testing::HasSubstr;

/// Runs in a folder whose run file, if it has one, says nothing: each ends at once.
class EmptyRuns final : public ReplicaSource {
 public:
  EmptyRuns(const std::filesystem::path& folder, std::size_t n) : folder_(folder), n_(n) {}
  std::optional<ReplicaTask> next() override {
    const std::lock_guard lock(mutex_);
    if (asked_ == throw_at) throw std::runtime_error("disk full");
    if (asked_ == n_) return std::nullopt;
    return ReplicaTask{asked_++, folder_};
  }
  void ended(std::size_t index, const ReplicaResult& result) override {
    const std::lock_guard lock(mutex_);
    results.emplace_back(index, result);
  }

  std::size_t throw_at = 1'000;
  std::vector<std::pair<std::size_t, ReplicaResult>> results;

 private:
  std::filesystem::path folder_;
  std::size_t n_, asked_ = 0;
  std::mutex mutex_;
};

TEST(ReplicaWorkers, EachRunIsMadeOnce) {
  const TempFolder folder;
  folder.write("run.toml", "units = \"lj\"\n");
  EmptyRuns source(folder.path(), 20);
  std::atomic<int> looks = 0;
  WorkerHooks hooks;
  hooks.meanwhile = [&] { ++looks; };
  work_on(source, std::vector<ReplicaPlace>(3), 0, hooks);
  std::vector<int> times(20);
  for (const auto& [index, result] : source.results) {
    ++times[index];
    EXPECT_EQ(result.state, ReplicaState::failed);
    EXPECT_THAT(result.message, HasSubstr("run.toml:"));
  }
  EXPECT_EQ(times, std::vector<int>(20, 1));
  EXPECT_GT(looks, 0);
}

/// A file system that has gone away must not end all runs, and a single missing file must not keep the others waiting.
TEST(ReplicaWorkers, APlaceAtWhichTwoRunsInARowLackSomethingTakesNoOther) {
  const TempFolder folder;
  EmptyRuns source(folder.path(), 20);
  work_on(source, std::vector<ReplicaPlace>(3), 0, {});
  ASSERT_EQ(source.results.size(), 6U);
  for (const auto& [index, result] : source.results) {
    EXPECT_EQ(result.state, ReplicaState::stopped);
    EXPECT_EQ(result.status, ExitStatus::input);
    EXPECT_THAT(result.message, HasSubstr("run.toml: no such file"));
  }
}

TEST(ReplicaWorkers, NothingIsBegunAfterAStop) {
  const TempFolder folder;
  EmptyRuns source(folder.path(), 20);
  WorkerHooks stopped, late;
  stopped.stop = [] { return true; };
  work_on(source, std::vector<ReplicaPlace>(2), 0, stopped);
  late.seconds_left = [] { return std::optional(0.0); };
  work_on(source, std::vector<ReplicaPlace>(2), 0, late);
  EXPECT_TRUE(source.results.empty());
}

TEST(ReplicaWorkers, AnErrorOfTheSourceEndsAll) {
  const TempFolder folder;
  folder.write("run.toml", "units = \"lj\"\n");
  EmptyRuns source(folder.path(), 20);
  source.throw_at = 5;
  EXPECT_THROW(work_on(source, std::vector<ReplicaPlace>(2), 0, {}), std::runtime_error);
  EXPECT_EQ(source.results.size(), 5U);
  WorkerHooks hooks;
  hooks.meanwhile = [] { throw std::logic_error("no display"); };
  EmptyRuns others(folder.path(), 3);
  EXPECT_THROW(work_on(others, std::vector<ReplicaPlace>(1), 0, hooks), std::logic_error);
}

}  // namespace
}  // namespace dropmd
