#include "outputs/files/pipe_output.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <csignal>
#include <vector>

#include "outputs/files/atomic_file.h"
#include "outputs/files/file_writer.h"
#include "tests/support/system/temp_folder.h"

namespace dropmd {
namespace {

namespace fs = std::filesystem;

/// Pipes whose reader leaves before it has read anything.
class PipeOutput : public testing::Test {
 protected:
  PipeOutput() {
    when_readers_leave([this](const fs::path& path) { left_.push_back(path.filename().string()); });
  }
  ~PipeOutput() override {
    when_readers_leave(nullptr);
    std::signal(SIGPIPE, before_);
  }
  fs::path pipe(const std::string& name) const {
    fs::path path = folder_.path() / name;
    EXPECT_EQ(::mkfifo(path.c_str(), 0600), 0);
    return path;
  }
  static FileDescriptor reader_of(const fs::path& path) {
    return FileDescriptor(::open(path.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC));
  }

  const TempFolder folder_;
  std::vector<std::string> left_;

 private:
  void (*const before_)(int) = std::signal(SIGPIPE, SIG_IGN);
};

TEST_F(PipeOutput, AReaderThatLeavesIsToldOnceForAFileOfManyRows) {
  const fs::path path = pipe("rows");
  FileDescriptor reader = reader_of(path);
  FileWriter writer(path, false);
  writer.write("row\n");
  writer.flush();
  EXPECT_TRUE(left_.empty());
  ::close(reader.release());
  for (int row = 0; row < 3; ++row) {
    writer.write("row\n");
    writer.flush();
  }
  EXPECT_EQ(left_, std::vector<std::string>{"rows"});
}

TEST_F(PipeOutput, AndForOneThatIsOpenedAgainAndAgain) {
  const fs::path again = pipe("again"), other = pipe("other");
  for (const fs::path& path : {again, again, other}) {
    FileDescriptor reader = reader_of(path);
    write_atomically(path, false, [&](FileWriter& writer) {
      ::close(reader.release());
      writer.write("map\n");
    });
  }
  EXPECT_EQ(left_, (std::vector<std::string>{"again", "other"}));
}

}  // namespace
}  // namespace dropmd
