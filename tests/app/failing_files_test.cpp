#include <cerrno>
#include <cstring>
#include <optional>

#include "outputs/checkpoint/checkpoint_file.h"
#include "tests/support/system/run_folder.h"

/// Every system call on outputs fails in turn, in the program itself (tests/support/system/failing_files.cpp). The
/// program says so and ends, and what it leaves can be resumed to the files of a run without failures.
namespace dropmd {
namespace {

namespace fs = std::filesystem;
using testing::AllOf;
using testing::HasSubstr;

/// How a call fails.
struct Failure {
  std::string call;
  int error_number;
  bool continues = false;  ///< all later calls of this kind also fail
  bool of_status = false;  ///< only calls on status.json and timings.csv fail; otherwise, only those on all other files
};

class FailingFiles : public RunFolderTest {
 protected:
  void SetUp() override {
    RunFolderTest::SetUp();
    write_run_file("run.toml", {.energy_every = 5, .trajectory_every = 20, .checkpoint_every = 20});
    make_whole(60);
  }

  /// Runs in out/ with the call of that number failing; returns nothing if the run makes fewer calls.
  std::optional<Outcome> run_failing(const Failure& failure, int number, const std::string& line) const {
    const fs::path report = folder().path() / "report";
    fs::remove(report);
    // Where the program has the address sanitizer, the sanitizer has to be loaded first.
    std::string command = "env ASAN_OPTIONS=verify_asan_link_order=0:detect_leaks=0 LD_PRELOAD=";
    command += needed_file(DROPMD_FAILING_FILES).string();
    command += " DROPMD_FAIL_FOLDER=" + (folder().path() / "out").string() + " DROPMD_FAIL_CALL=" + failure.call +
               " DROPMD_FAIL_NUMBER=" + std::to_string(number) +
               " DROPMD_FAIL_ERRNO=" + std::to_string(failure.error_number) + " DROPMD_FAIL_REPORT=" + report.string() +
               (failure.continues ? " DROPMD_FAIL_ON=1" : "") + (failure.of_status ? " DROPMD_FAIL_STATUS=1 " : " ");
    const Outcome outcome = ChildProcess(folder().path(), words_of(command + DROPMD_BINARY + line)).wait();
    return fs::exists(report) ? std::optional(outcome) : std::nullopt;
  }

  static void expect_message(const Outcome& outcome, const Failure& failure) {
    EXPECT_EQ(outcome.status, 6) << outcome.err;
    EXPECT_THAT(outcome.err, AllOf(HasSubstr("dropmd: error: out"), HasSubstr(std::strerror(failure.error_number))));
    if (failure.call == "write") {
      EXPECT_THAT(outcome.err, AllOf(HasSubstr(": cannot write ("), HasSubstr(" bytes written): ")));
    }
  }

  /// Expects whole rows and frames, and no half-written file.
  void expect_whole_records() const {
    for (const auto& [name, bytes] : bytes_of("out")) {
      EXPECT_FALSE(name.ends_with(".tmp")) << name;
      if (name == "energy.csv") {
        EXPECT_TRUE(bytes.empty() || bytes.ends_with('\n')) << bytes;
      }
      if (name.ends_with(".xyz")) {
        EXPECT_EQ(std::ranges::count(bytes, '\n') % 152, 0) << name;
        EXPECT_TRUE(bytes.empty() || bytes.ends_with('\n')) << name;
      }
    }
  }

  /// Resumes from the last checkpoint, or starts again where there is none. Returns the step from which the run
  /// continues.
  std::int64_t resume() const {
    const fs::path checkpoint = folder().path() / "out/checkpoint.h5";
    if (!fs::exists(checkpoint)) {
      expect_success("dropmd run -q --force run.toml --steps 60");
      return 0;
    }
    const std::int64_t step = read_checkpoint(checkpoint).state.step;
    expect_success("dropmd run -q --resume out/checkpoint.h5 --steps 60");
    return step;
  }

  /// Lets each call fail in turn, in runs that `prepare` sets up and `line` starts. Returns the number of calls.
  template <class Prepare>
  int fail_each(const Failure& failure, const std::string& line, const Prepare& prepare) const {
    for (int number = 1;; ++number) {
      SCOPED_TRACE(failure.call + ' ' + std::to_string(number) + (failure.continues ? " and on, " : ", ") +
                   std::strerror(failure.error_number));
      fs::remove_all(folder().path() / "out");
      const std::int64_t before = prepare();
      const std::optional<Outcome> outcome = run_failing(failure, number, line);
      if (!outcome) {
        expect_same_files();
        return number - 1;
      }
      expect_message(*outcome, failure);
      expect_whole_records();
      EXPECT_GE(resume(), before) << "the last checkpoint is lost";
      expect_same_files();
      if (HasFailure()) return number;
    }
  }
};

const std::vector<Failure>& failures() {
  static const std::vector<Failure> all{
      {"open", EACCES}, {"open", EROFS},    {"open", ENOSPC, true}, {"write", EIO}, {"write", ENOSPC, true},
      {"fsync", EIO},   {"rename", EACCES}, {"rename", EIO, true},  {"close", EIO}, {"close", ENOSPC}};
  return all;
}

TEST_F(FailingFiles, OfARunFromItsStart) {
  for (const Failure& failure : failures()) {
    const int calls = fail_each(failure, " run -q run.toml --steps 60", [] { return 0; });
    EXPECT_GE(calls, 3) << failure.call << ": the calls were not met";
    if (HasFailure()) return;
  }
}

TEST_F(FailingFiles, OfARunThatMakesMaps) {
  write_run_file("run.toml", {.energy_every = 30,
                              .trajectory_every = 0,
                              .checkpoint_every = 40,
                              .map = "[map]\nevery = 20\nspacing = 4\npadding = 0\ncutoff = 6\n"});
  make_whole(60);
  for (const Failure& failure :
       {Failure{"open", EACCES}, {"write", ENOSPC, true}, {"fsync", EIO}, {"rename", EACCES}, {"close", EIO}}) {
    const int calls = fail_each(failure, " run -q run.toml --steps 60", [] { return 0; });
    EXPECT_GE(calls, 3) << failure.call << ": the calls were not met";
    if (HasFailure()) return;
  }
}

/// Its header is written again after each frame.
TEST_F(FailingFiles, OfARunWithATrajectoryThatCountsItsFrames) {
  write_run_file("run.toml", {.energy_every = 30,
                              .trajectory_every = 20,
                              .checkpoint_every = 20,
                              .map = "trajectory = \"frames.dcd\"\n"});  // a further line of [output]
  make_whole(60);
  for (const Failure& failure : {Failure{"pwrite", EIO}, {"pwrite", ENOSPC, true}}) {
    const int calls = fail_each(failure, " run -q run.toml --steps 60", [] { return 0; });
    EXPECT_GE(calls, 3) << failure.call << ": the calls were not met";
    if (HasFailure()) return;
  }
}

TEST_F(FailingFiles, OfARunThatResumes) {
  std::vector<Failure> all = failures();
  all.push_back({"ftruncate", EIO});
  for (const Failure& failure : all) {
    const int calls = fail_each(failure, " run -q --resume out/checkpoint.h5 --steps 60", [&] {
      cut(20);
      return 20;
    });
    EXPECT_GE(calls, 2) << failure.call << ": the calls were not met";
    if (HasFailure()) return;
  }
}

TEST_F(FailingFiles, ItSaysHowTheRunResumes) {
  for (int number = 1;; ++number) {
    fs::remove_all(folder().path() / "out");
    const std::optional<Outcome> outcome = run_failing({"write", ENOSPC}, number, " run -q run.toml --steps 60");
    ASSERT_TRUE(outcome) << "no call failed after step 40";
    if (!fs::exists(folder().path() / "out/checkpoint.h5")) {
      EXPECT_THAT(outcome->err, testing::Not(HasSubstr("resumes with"))) << "from what?";
      continue;
    }
    const std::int64_t step = read_checkpoint(folder().path() / "out/checkpoint.h5").state.step;
    EXPECT_THAT(outcome->err, testing::EndsWith(" (from step " + std::to_string(step) +
                                                " the run resumes with: dropmd run --resume out/checkpoint.h5)\n"));
    if (step == 40) return;
  }
}

/// A write that takes only half of its bytes is continued with the rest.
TEST_F(FailingFiles, AShortWriteIsNoFailure) {
  for (int number = 1;; ++number) {
    SCOPED_TRACE(number);
    fs::remove_all(folder().path() / "out");
    const std::optional<Outcome> outcome = run_failing({"write", 0}, number, " run -q run.toml --steps 60");
    expect_same_files();
    if (!outcome) {
      EXPECT_GE(number, 20);
      return;
    }
    EXPECT_EQ(outcome->status, 0) << outcome->err;
    if (HasFailure()) return;
  }
}

/// These files are for onlookers and are not results, so failed calls on them are not failures of the run.
TEST_F(FailingFiles, OfStatusJsonAndTimingsCsvAreNone) {
  for (const Failure& failure : {Failure{"open", EACCES, true, true},
                                 {"write", ENOSPC, true, true},
                                 {"rename", EIO, true, true},
                                 {"close", EIO, true, true}}) {
    SCOPED_TRACE(failure.call);
    fs::remove_all(folder().path() / "out");
    const std::optional<Outcome> outcome = run_failing(failure, 1, " run -q run.toml --steps 60");
    ASSERT_TRUE(outcome) << "no such call";
    EXPECT_EQ(outcome->status, 0) << outcome->err;
    EXPECT_FALSE(fs::exists(folder().path() / "out/status.json"));
    EXPECT_FALSE(fs::exists(folder().path() / "out/timings.csv"));
    EXPECT_EQ(bytes_of("out").size() + 2, bytes_of("whole").size()) << "nothing else is left";
    expect_same_files();
  }
}

/// Where there are no hard links, the previous checkpoint is kept as a copy.
TEST_F(FailingFiles, AFileSystemWithoutLinksIsNoFailure) {
  const std::optional<Outcome> outcome = run_failing({"link", EPERM, true}, 1, " run -q run.toml --steps 60");
  ASSERT_TRUE(outcome);
  EXPECT_EQ(outcome->status, 0) << outcome->err;
  expect_same_files();
  EXPECT_EQ(read_checkpoint(folder().path() / "out/checkpoint-previous.h5").state.step, 40);
}

}  // namespace
}  // namespace dropmd
