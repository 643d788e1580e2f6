#include <fcntl.h>
#include <sys/stat.h>

#include <chrono>
#include <thread>

#include "outputs/files/file_descriptor.h"
#include "tests/support/system/run_folder.h"

/// Output to pipes. A reader that leaves does not end the run, and one that never comes does not keep it from ending.
namespace dropmd {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;
using testing::StartsWith;

class Pipes : public RunFolderTest {
 protected:
  fs::path make_pipe(const std::string& name) const {
    fs::path path = folder().path() / name;
    fs::create_directories(path.parent_path());
    EXPECT_EQ(::mkfifo(path.c_str(), 0600), 0);
    return path;
  }
  void write_charged() const {
    folder().write("charged.toml",
                   "units = \"real\"\n[system]\nstructure = \"start.drop\"\nmass = 20\n[coulomb]\nform = \"exact\"\n");
  }
  Outcome run_in_bash(const std::string& line) const {
    return ChildProcess(folder().path(), {"bash", "-c", "set -o pipefail; " + line}).wait();
  }
  ChildProcess start(const std::string& line) const {
    return ChildProcess(folder().path(), words_of(DROPMD_BINARY + line));
  }
};

/// Waits long enough for a program under sanitizers; a program that hangs is killed when its ChildProcess ends.
bool ends(ChildProcess& child) {
  using std::chrono::steady_clock;
  const auto give_up = steady_clock::now() + std::chrono::seconds(30);
  while (child.running() && steady_clock::now() < give_up) std::this_thread::sleep_for(std::chrono::milliseconds(5));
  return !child.running();
}

void wait_milliseconds(int n) { std::this_thread::sleep_for(std::chrono::milliseconds(n)); }

TEST_F(Pipes, ARunWhoseReaderLeavesResumesToTheSameFiles) {
  make_whole(2000);
  const Outcome outcome =
      run_in_bash(DROPMD_BINARY " run run.toml --force --steps 2000 2>&1 | { read line; echo \"$line\"; }");
  EXPECT_EQ(outcome.status, 0);
  EXPECT_EQ(std::ranges::count(outcome.out, '\n'), 1) << outcome.out;
  expect_same_files();
}

TEST_F(Pipes, AResultWhoseReaderLeavesIsNoError) {
  const Outcome outcome = run_in_bash("{ sleep 0.1; " DROPMD_BINARY " energy start.drop; } | true");
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_THAT(outcome.err, testing::Not(HasSubstr("standard output")));
}

TEST_F(Pipes, ASignalEndsTheWaitForAReaderThatDoesNotCome) {
  make_pipe("out/energy.csv");
  ChildProcess child = start(" run run.toml -q --steps 100000000");
  wait_milliseconds(500);
  ASSERT_TRUE(child.running()) << "it waits for a reader";
  child.send(SIGTERM);
  ASSERT_TRUE(ends(child));
  EXPECT_EQ(child.wait().status, 128 + SIGTERM);
  EXPECT_TRUE(folder().has("out/checkpoint.h5"));
}

TEST_F(Pipes, ASignalEndsTheWaitForAReaderThatDoesNotRead) {
  write_run_file("run.toml", {.energy_every = 1, .trajectory_every = 0});
  const fs::path pipe = make_pipe("out/energy.csv");
  const FileDescriptor reader(::open(pipe.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC));
  ChildProcess child = start(" run run.toml -q --steps 100000000");
  wait_milliseconds(1500);  // 400 rows fill the 64 KiB that a pipe holds
  child.send(SIGTERM);
  ASSERT_TRUE(ends(child));
  EXPECT_EQ(child.wait().status, 128 + SIGTERM);
  EXPECT_TRUE(folder().has("out/checkpoint.h5"));
}

TEST_F(Pipes, ASignalEndsTheWaitOfTheFinalStructure) {
  make_pipe("out/final.xyz");
  ChildProcess child = start(" run run.toml -q --steps 10");
  wait_milliseconds(500);
  ASSERT_TRUE(child.running()) << "it waits for a reader";
  child.send(SIGTERM);
  EXPECT_TRUE(ends(child));
}

TEST_F(Pipes, ASignalEndsTheWaitOfOtherCommands) {
  const fs::path pipe = make_pipe("pipe");
  write_charged();
  for (const char* const line : {" energy charged.toml -q -o pipe", " energy charged.toml -q --forces pipe"}) {
    SCOPED_TRACE(line);
    ChildProcess child = start(line);
    wait_milliseconds(500);
    ASSERT_TRUE(child.running()) << "it waits for a reader";
    child.send(SIGTERM);
    ASSERT_TRUE(ends(child));
    EXPECT_EQ(child.wait().status, 128 + SIGTERM);
  }
}

/// A second reader gets the rows of the resumed run.
TEST_F(Pipes, ARunContinuesIntoAPipe) {
  make_whole(60);
  make_pipe("out/energy.csv");
  for (const char* const line : {" run run.toml -q --steps 30", " run -q --resume out/checkpoint.h5 --steps 60"}) {
    const Outcome outcome = run_in_bash("cat out/energy.csv >> rows & " DROPMD_BINARY + std::string(line) + " && wait");
    EXPECT_EQ(outcome.status, 0) << outcome.err;
  }
  const std::vector<std::string> whole = lines_of(text("whole/energy.csv")), rows = lines_of(text("rows"));
  ASSERT_EQ(rows.size(), whole.size() + 2) << "the header is written twice";
  EXPECT_EQ(rows.front(), whole.front());
  EXPECT_EQ(rows.back(), whole.back());
}

/// There are more rows than a pipe can hold.
TEST_F(Pipes, AReaderThatLeavesAPipeEndsNoRunAndIsSaidOnce) {
  write_run_file("run.toml", {.energy_every = 1, .trajectory_every = 0});
  make_pipe("out/energy.csv");
  for (const bool quiet : {false, true}) {
    const Outcome outcome =
        run_in_bash("head -n 3 out/energy.csv & " DROPMD_BINARY " run run.toml --force --steps 2000" +
                    std::string(quiet ? " -q" : ""));
    EXPECT_EQ(outcome.status, 0) << outcome.err;
    EXPECT_THAT(outcome.out, StartsWith("# dropmd "));
    const std::string said = "dropmd: warning: out/energy.csv: the reader of this pipe has closed it";
    EXPECT_EQ(outcome.err.find(said) == std::string::npos, quiet) << outcome.err;
    EXPECT_EQ(outcome.err.find(said), outcome.err.rfind(said)) << "not twice: " << outcome.err;
  }
}

/// The pipe is full from the start. Only the messages at the end of the run wait for a reader.
TEST_F(Pipes, MessagesThatNobodyReadsHoldUpNoRun) {
  const fs::path pipe = make_pipe("messages");
  const FileDescriptor reader(::open(pipe.c_str(), O_RDWR | O_NONBLOCK | O_CLOEXEC));
  while (::write(reader.get(), "unread\n", 7) > 0) {
  }
  ChildProcess child(folder().path(),
                     {"bash", "-c", "exec " DROPMD_BINARY " run run.toml --wall none --steps 200 2>messages"});
  const auto give_up = std::chrono::steady_clock::now() + std::chrono::seconds(30);
  while (text("out/status.json").find("finished") == std::string::npos && std::chrono::steady_clock::now() < give_up)
    wait_milliseconds(5);
  EXPECT_THAT(text("out/status.json"), HasSubstr("finished"));
  std::string messages, part(4096, '\0');
  while (child.running() && std::chrono::steady_clock::now() < give_up) {
    const ssize_t n = ::read(reader.get(), part.data(), part.size());
    if (n > 0) messages.append(part, 0, static_cast<std::size_t>(n));
    if (n <= 0) wait_milliseconds(5);
  }
  EXPECT_EQ(child.wait().status, 0);
  for (ssize_t n = 0; (n = ::read(reader.get(), part.data(), part.size())) > 0;)
    messages.append(part, 0, static_cast<std::size_t>(n));
  EXPECT_THAT(messages, testing::AllOf(HasSubstr("unread\nphase "), HasSubstr("\ntotal "))) << "the table of times";
}

TEST_F(Pipes, AMapGoesIntoAPipe) {
  write_charged();
  const std::string map = DROPMD_BINARY " map charged.toml -q --spacing 1 --backend cpu -o ";
  ASSERT_EQ(run_in_bash(map + "file.dx").status, 0);
  make_pipe("pipe.dx");
  const Outcome outcome = run_in_bash("cat pipe.dx > read & " + map + "pipe.dx && wait");
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_GT(text("read").size(), 65536U) << "more than a pipe holds";
  EXPECT_TRUE(text("read") == text("file.dx"));
  EXPECT_TRUE(fs::is_fifo(folder().path() / "pipe.dx")) << "no --force is needed, and it stays";
}

TEST_F(Pipes, AMapWhoseReaderLeavesIsNoError) {
  write_charged();
  make_pipe("pipe.dx");
  const Outcome outcome =
      run_in_bash("head -n 1 pipe.dx & " DROPMD_BINARY " map charged.toml --spacing 1 --backend cpu -o pipe.dx");
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_THAT(outcome.err, HasSubstr("dropmd: warning: pipe.dx: the reader of this pipe has closed it"));
}

}  // namespace
}  // namespace dropmd
