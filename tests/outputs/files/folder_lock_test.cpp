#include "outputs/files/folder_lock.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <optional>
#include <thread>

#include "tests/outputs/output_files.h"
#include "tests/support/system/temp_folder.h"

namespace dropmd {
namespace {

TEST(FolderLock, WaitsForOneThatIsBeingReleased) {
  const TempFolder folder;
  std::optional<FolderLock> ending(std::in_place, folder.path(), "run");
  ASSERT_TRUE(ending->holds());
  std::thread other([&] {
    std::this_thread::sleep_for(FolderLock::kWait / 10);
    ending.reset();
  });
  const auto begin = std::chrono::steady_clock::now();
  EXPECT_TRUE(FolderLock(folder.path(), "run").holds());
  EXPECT_GE(std::chrono::steady_clock::now() - begin, FolderLock::kWait / 20);  // it had to wait
  other.join();
}

TEST(FolderLock, RefusesOneThatStays) {
  const TempFolder folder;
  const FolderLock other(folder.path(), "run");
  EXPECT_THAT(output_error_of([&] { FolderLock(folder.path(), "run"); }),
              testing::HasSubstr("is in use: another run is writing there"));
}

TEST(FolderLock, LocksNothingWhereThereIsNoFolder) {
  const TempFolder folder;
  const FolderLock lock(folder.path() / "none", "run");
  EXPECT_FALSE(lock.is_open());
  EXPECT_FALSE(lock.holds());
}

}  // namespace
}  // namespace dropmd
