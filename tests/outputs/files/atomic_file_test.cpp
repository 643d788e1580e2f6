#include "outputs/files/atomic_file.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <stdexcept>

#include "tests/outputs/file_size_limit.h"
#include "tests/outputs/output_files.h"
#include "tests/support/system/temp_folder.h"

namespace dropmd {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

auto writing(const std::string& text) {
  return [text](FileWriter& writer) { writer.write(text); };
}

TEST(AtomicFile, CreatesAFileAndLeavesNothingElse) {
  const TempFolder folder;
  write_atomically(folder.path() / "a.txt", false, writing("new"));
  EXPECT_EQ(read_text(folder.path() / "a.txt"), "new");
  EXPECT_EQ(count_entries(folder.path()), 1U);
}

TEST(AtomicFile, RefusesAnExistingFileBeforeItIsFilled) {
  const TempFolder folder;
  const fs::path path = folder.write("a.txt", "old");
  bool filled = false;
  EXPECT_EQ(output_error_of([&] { write_atomically(path, false, [&](FileWriter&) { filled = true; }); }),
            path.string() + " exists (use --force to overwrite it, or choose another output)");
  EXPECT_FALSE(filled);
  EXPECT_EQ(read_text(path), "old");
}

TEST(AtomicFile, RefusesAFileThatAppearsMeanwhile) {
  const TempFolder folder;
  const fs::path path = folder.path() / "a.txt";
  EXPECT_EQ(output_error_of([&] {
              write_atomically(path, false, [&](FileWriter& writer) {
                writer.write("mine");
                folder.write("a.txt", "theirs");
              });
            }),
            path.string() + " exists (use --force to overwrite it, or choose another output)");
  EXPECT_EQ(read_text(path), "theirs");
  EXPECT_EQ(count_entries(folder.path()), 1U);
}

TEST(AtomicFile, ReplacesOnlyWhenComplete) {
  const TempFolder folder;
  const fs::path path = folder.write("a.txt", "old");
  write_atomically(path, true, [&](FileWriter& writer) {
    writer.write("new");
    writer.flush();
    EXPECT_EQ(read_text(path), "old");
  });
  EXPECT_EQ(read_text(path), "new");
  EXPECT_EQ(count_entries(folder.path()), 1U);
}

TEST(AtomicFile, FailureKeepsTheOldFileAndNoTemporary) {
  const TempFolder folder;
  const fs::path path = folder.write("a.txt", "old");
  const auto fill = [](FileWriter& writer) {
    writer.write("half");
    throw std::runtime_error("no more");
  };
  EXPECT_THROW(write_atomically(path, true, fill), std::runtime_error);
  EXPECT_EQ(read_text(path), "old");
  EXPECT_EQ(count_entries(folder.path()), 1U);
}

TEST(AtomicFile, DiskThatFillsUpKeepsTheOldFileAndNoTemporary) {
  const TempFolder folder;
  const fs::path path = folder.write("a.txt", "old");
  const FileSizeLimit limit(10);
  EXPECT_EQ(output_error_of([&] { write_atomically(path, true, writing("twelve bytes")); }),
            path.string() + ": cannot write (10 of 12 bytes written): File too large");
  EXPECT_EQ(read_text(path), "old");
  EXPECT_EQ(count_entries(folder.path()), 1U);
}

TEST(AtomicFile, WritesThroughASymbolicLink) {
  const TempFolder folder;
  const fs::path target = folder.write("target.txt", "old");
  const fs::path link = folder.path() / "link.txt";
  fs::create_symlink(target, link);
  write_atomically(link, true, writing("new"));
  EXPECT_TRUE(fs::is_symlink(link));
  EXPECT_EQ(read_text(target), "new");
}

/// The test makes a pipe of its own and uses no device of the machine, since a replaced device would harm everybody.
TEST(AtomicFile, WhatKilledWritesLeftIsRemoved) {
  const TempFolder folder;
  const fs::path path = folder.write("a.txt", "whole");
  for (const char* const name : {".a.txt.17-0.tmp", ".a.txt.4194304-99.tmp"}) folder.write(name, "half");
  const char* const others[] = {".a.txt.tmp",     ".a.txt.mine.tmp",       ".b.txt.17-0.tmp",
                                "a.txt.17-0.tmp", ".a.txt.17-0",           ".a.txt.17.tmp",
                                ".a.txt.-.tmp",   ".a.txt.2026-11-22.tmp", ".a.txt.1-2x.tmp"};
  for (const char* const name : others) folder.write(name, "somebody's");
  fs::create_symlink("a.txt", folder.path() / ".a.txt.17-1.tmp");
  remove_leftovers(path);
  EXPECT_EQ(read_text(path), "whole");
  EXPECT_EQ(count_entries(folder.path()), 1U + std::size(others) + 1);
  fs::create_directory(folder.path() / "elsewhere");
  fs::create_symlink("../a.txt", folder.path() / "elsewhere/link");
  folder.write(".a.txt.17-0.tmp", "half");
  remove_leftovers(folder.path() / "elsewhere/link");
  EXPECT_FALSE(fs::exists(folder.path() / ".a.txt.17-0.tmp"));
  remove_leftovers(folder.path() / "none/a.txt");
}

TEST(AtomicFile, FoldersAreLookedAtBeforeLongWork) {
  const TempFolder folder;
  const auto refusal = [](const fs::path& path) {
    try {
      require_folder(path);
    } catch (const OutputError& error) {
      return std::string(error.what());
    }
    return std::string{};
  };
  folder.write("file", "");
  fs::create_directories(folder.path() / "inner");
  fs::create_symlink("../file", folder.path() / "inner/link");
  for (const char* const name : {"new", "file", "inner/new", "inner/link"})
    EXPECT_EQ(refusal(folder.path() / name), "");
  EXPECT_EQ(refusal("/dev/null"), "");
  EXPECT_THAT(refusal(folder.path() / "none/new"), HasSubstr("there is no folder"));
  EXPECT_THAT(refusal(folder.path() / "file/new"), HasSubstr("Not a directory"));
  EXPECT_THAT(refusal(folder.path() / "inner"), HasSubstr("Is a directory"));
  // The temporary file is written next to the file that the link names.
  fs::create_directory(folder.path() / "closed");
  folder.write("closed/target", "");
  fs::create_symlink("../closed/target", folder.path() / "inner/to-closed");
  fs::permissions(folder.path() / "closed", fs::perms::owner_read | fs::perms::owner_exec);
  if (::geteuid() != 0) {
    EXPECT_THAT(refusal(folder.path() / "inner/to-closed"), HasSubstr("Permission denied"));
  }
  fs::permissions(folder.path() / "closed", fs::perms::owner_all);
}

TEST(AtomicFile, PipeIsWrittenToAndStaysAPipe) {
  const TempFolder folder;
  const fs::path pipe = folder.path() / "pipe";
  ASSERT_EQ(mkfifo(pipe.c_str(), 0600), 0);
  const FileDescriptor reader(open(pipe.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC));
  ASSERT_TRUE(reader.is_open());
  write_atomically(pipe, false, writing("row\n"));
  std::array<char, 16> text{};
  EXPECT_EQ(read(reader.get(), text.data(), text.size()), 4);
  EXPECT_STREQ(text.data(), "row\n");
  EXPECT_TRUE(fs::is_fifo(pipe));
  EXPECT_EQ(count_entries(folder.path()), 1U);
}

TEST(AtomicFile, MissingFolderIsNamed) {
  const TempFolder folder;
  const fs::path path = folder.path() / "none" / "a.txt";
  EXPECT_EQ(output_error_of([&] { write_atomically(path, false, writing("")); }),
            path.string() + ": cannot create a temporary file in its folder: No such file or directory");
}

TEST(AtomicFile, DirectoryIsNoFile) {
  const TempFolder folder;
  EXPECT_EQ(output_error_of([&] { write_atomically(folder.path(), true, writing("")); }),
            folder.path().string() + ": cannot create the file: Is a directory");
}

TEST(AtomicFile, ReadOnlyFolderIsNamed) {
  if (geteuid() == 0) GTEST_SKIP() << "root may write everywhere";
  const TempFolder folder;
  const fs::path path = folder.write("a.txt", "old");
  fs::permissions(folder.path(), fs::perms::owner_read | fs::perms::owner_exec);
  EXPECT_EQ(output_error_of([&] { write_atomically(path, true, writing("new")); }),
            path.string() + ": cannot create a temporary file in its folder: Permission denied");
  fs::permissions(folder.path(), fs::perms::owner_all);
  EXPECT_EQ(read_text(path), "old");
}

}  // namespace
}  // namespace dropmd
