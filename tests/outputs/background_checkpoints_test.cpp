#include "outputs/checkpoint/background_checkpoints.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <thread>
#include <utility>
#include <vector>

#include "outputs/files/file_writer.h"
#include "tests/outputs/checkpoint_files.h"
#include "tests/outputs/file_size_limit.h"

/// Checkpoints that are written while the steps of a run go on.
namespace dropmd {
namespace {

using testing::HasSubstr;

/// A descriptor that no process has.
constexpr int kNoFile = 1 << 30;

class BackgroundCheckpointsTest : public testing::Test {
 protected:
  fs::path path() const { return folder_.path() / "checkpoint.h5"; }
  /// The file that write_checkpoint() writes.
  std::string plain(const Checkpoint& checkpoint) const {
    const fs::path path = folder_.path() / "plain.h5";
    write_checkpoint(path, checkpoint);
    return read_text(path);
  }

  const TempFolder folder_;
};

TEST_F(BackgroundCheckpointsTest, AreTheSameBytes) {
  BackgroundCheckpoints writing(path());
  EXPECT_FALSE(writing.under_way());
  EXPECT_FALSE(writing.done());
  Checkpoint checkpoint = full_checkpoint(33);
  for (const double z : {1.0, 2.0, 3.0}) {
    checkpoint.state.position[32].z = z;
    const std::string expected = plain(checkpoint);
    writing.begin(checkpoint);
    checkpoint.state.position[32].z = 0;  // what is under way does not change any more
    EXPECT_TRUE(writing.under_way());
    writing.end();
    EXPECT_FALSE(writing.under_way());
    EXPECT_GT(writing.seconds(), 0);
    EXPECT_TRUE(read_text(path()) == expected);
  }
  EXPECT_EQ(read_checkpoint(previous_checkpoint(path())).state.position[32].z, 2);
}

/// A checkpoint may say about outputs only what is on the storage, even if they have been closed or removed meanwhile.
TEST_F(BackgroundCheckpointsTest, WaitForTheOutputsThatTheyMark) {
  BackgroundCheckpoints writing(path());
  const fs::path energies = folder_.path() / "energy.csv";
  FileWriter file(energies, /*overwrite=*/false);
  file.write("1\n");
  std::vector<UnsyncedFile> outputs;
  outputs.push_back(file.flushed_mark().unsynced);
  EXPECT_TRUE(outputs[0].file.is_open());
  EXPECT_EQ(read_text(energies), "1\n");
  file.close();
  EXPECT_FALSE(file.flushed_mark().unsynced.file.is_open());
  fs::remove(energies);
  writing.begin(full_checkpoint(2), std::move(outputs));
  writing.end();
  const std::string before = read_text(path());
  std::vector<UnsyncedFile> broken;
  broken.push_back({energies, FileDescriptor(kNoFile)});
  writing.begin(full_checkpoint(3), std::move(broken));
  EXPECT_THAT(output_error_of([&] { writing.end(); }),
              HasSubstr("energy.csv: cannot sync the file: Bad file descriptor"));
  EXPECT_TRUE(read_text(path()) == before);
}

TEST_F(BackgroundCheckpointsTest, SayWhenTheyAreDone) {
  BackgroundCheckpoints writing(path());
  writing.begin(full_checkpoint(2));
  constexpr int kMostLooks = 10'000;
  for (int look = 0; !writing.done() && look < kMostLooks; ++look)
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  EXPECT_TRUE(writing.done());
  EXPECT_EQ(read_checkpoint(path()).state.step, full_checkpoint(2).state.step) << "before it has been ended";
  writing.end();
  EXPECT_FALSE(writing.done());
}

TEST_F(BackgroundCheckpointsTest, AreWholeWhenTheWriterGoes) {
  BackgroundCheckpoints(path()).begin(full_checkpoint(1000));
  expect_same(read_checkpoint(path()), full_checkpoint(1000));
}

/// The next one may be written all the same.
TEST_F(BackgroundCheckpointsTest, AFullDiskIsToldAtTheEnd) {
  const Checkpoint first = full_checkpoint(2);
  BackgroundCheckpoints writing(path());
  writing.begin(first);
  writing.end();
  {
    const FileSizeLimit limit(5000);
    writing.begin(full_checkpoint(33));
    EXPECT_THAT(output_error_of([&] { writing.end(); }), HasSubstr("File too large"));
  }
  EXPECT_FALSE(writing.under_way());
  expect_same(read_checkpoint(path()), first);
  writing.begin(full_checkpoint(33));
  writing.end();
  expect_same(read_checkpoint(path()), full_checkpoint(33));
}

}  // namespace
}  // namespace dropmd
