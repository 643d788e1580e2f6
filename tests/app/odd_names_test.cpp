#include "tests/support/system/run_folder.h"

/// Names of files are bytes; the names of the folder, the structure and -o need not be UTF-8.
namespace dropmd {
namespace {

namespace fs = std::filesystem;

constexpr const char* kLatin = "caf\xE9 \xFF\xED\xA0\x80";  // Latin-1, then bytes of no encoding, then a surrogate

class OddNames : public RunFolderTest {
 protected:
  void SetUp() override {
    RunFolderTest::SetUp();
    std::error_code error;
    fs::create_directory(there_, error);
    if (error) GTEST_SKIP() << "the file system has UTF-8 names only";
    for (const char* const name : {"start.drop", "run.toml"}) fs::copy_file(folder().path() / name, there_ / name);
    make_whole(60);
  }
  Outcome run_there(std::vector<std::string> words) const {
    words.insert(words.begin(), {DROPMD_BINARY, "run", "-q"});
    return ChildProcess(there_, words).wait();
  }
  /// Expects that a run with these words can be stopped and resumed.
  void expect_resumable(std::vector<std::string> words, const fs::path& out) const {
    words.insert(words.end(), {"--steps", "30", "-o", out.string()});
    const Outcome cut = run_there(words);
    ASSERT_EQ(cut.status, 0) << cut.err;
    for (const char* const steps : {"45", "60"}) {
      const Outcome resumed = run_there({"--resume", (out / "checkpoint.h5").string(), "--steps", steps});
      ASSERT_EQ(resumed.status, 0) << resumed.err;
    }
  }

  const fs::path there_ = folder().path() / kLatin;
};

TEST_F(OddNames, OfTheWorkingDirectory) {
  expect_resumable({"run.toml"}, "out");
  EXPECT_TRUE(text_of(there_ / "out/energy.csv") == text("whole/energy.csv"));
}

TEST_F(OddNames, OfTheOutputFolder) {
  expect_resumable({"run.toml"}, std::string("out") + kLatin);
  EXPECT_TRUE(text_of(there_ / (std::string("out") + kLatin) / "energy.csv") == text("whole/energy.csv"));
}

TEST_F(OddNames, OfTheRunFileAndTheStructure) {
  const std::string toml = std::string(kLatin) + ".toml", drop = std::string(kLatin) + ".drop";
  fs::rename(there_ / "run.toml", there_ / toml);
  expect_resumable({toml}, "out");
  EXPECT_TRUE(text_of(there_ / "out/energy.csv") == text("whole/energy.csv"));
  fs::rename(there_ / "start.drop", there_ / drop);
  expect_resumable({drop, "--wall", "none"}, "bare");
}

/// A stopped run shows a command that a shell can execute.
TEST_F(OddNames, AreQuotedInTheCommandThatResumes) {
  for (const std::string out : {"two words", "it's $(touch evil); *", "line\nline"}) {
    const std::vector<std::string> words{DROPMD_BINARY, "run",  "run.toml", "--steps", "1000000000",
                                         "--max-hours", "1e-5", "-o",       out};
    const Outcome cut = ChildProcess(there_, words).wait();
    ASSERT_EQ(cut.status, 0) << cut.err;
    constexpr std::string_view kSays = "it resumes with: ";
    const std::size_t at = cut.out.find(kSays);
    ASSERT_NE(at, std::string::npos) << cut.out;
    const std::string line = cut.out.substr(at + kSays.size(), cut.out.find('\n', at) - at - kSays.size());
    const std::string script = "dropmd() { " DROPMD_BINARY " \"$@\"; }; " + line + " --max-hours 1e-5";
    const Outcome resumed = ChildProcess(there_, {"bash", "-c", script}).wait();
    EXPECT_EQ(resumed.status, 0) << line << '\n' << resumed.err;
    EXPECT_THAT(resumed.err, testing::HasSubstr(", resumed from step "));
  }
  EXPECT_FALSE(fs::exists(there_ / "evil"));
}

TEST_F(OddNames, AreShown) {
  const Outcome dry = run_there({"run.toml", "--dry-run"});
  EXPECT_EQ(dry.status, 0) << dry.err;
  EXPECT_THAT(dry.out, testing::HasSubstr("/caf\xEF\xBF\xBD \xEF\xBF\xBD"));
  const Outcome json = run_there({"run.toml", "--json", "--steps", "2", "-o", kLatin});
  EXPECT_EQ(json.status, 0) << json.err;
  EXPECT_THAT(json.out, testing::HasSubstr("\"caf\xEF\xBF\xBD "));
}

}  // namespace
}  // namespace dropmd
