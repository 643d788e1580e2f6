#include "outputs/files/file_writer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include <utility>
#include <vector>

#include "tests/outputs/file_size_limit.h"
#include "tests/outputs/output_files.h"
#include "tests/support/system/temp_folder.h"

namespace dropmd {
namespace {

namespace fs = std::filesystem;

TEST(FileWriter, WritesWhatItIsGivenAcrossBuffers) {
  const TempFolder folder;
  const fs::path path = folder.path() / "a.txt";
  std::string expected;
  FileWriter writer(path, false);
  for (int i = 0; i < 50000; ++i) {  // several times the buffer
    const std::string line = std::to_string(i) + '\n';
    writer.write(line);
    expected += line;
  }
  writer.write(std::string(200000, 'x'));  // one piece larger than the buffer
  expected += std::string(200000, 'x');
  writer.sync();
  writer.close();
  EXPECT_EQ(read_text(path), expected);
}

TEST(FileWriter, RefusesAnExistingFile) {
  const TempFolder folder;
  const fs::path path = folder.write("a.txt", "old");
  EXPECT_EQ(output_error_of([&] { FileWriter(path, false); }),
            path.string() + " exists (use --force to overwrite it, or choose another output)");
  EXPECT_EQ(read_text(path), "old");
}

TEST(FileWriter, EmptiesAnExistingFileWhenItMay) {
  const TempFolder folder;
  const fs::path path = folder.write("a.txt", "old and long");
  FileWriter writer(path, true);
  writer.write("new");
  writer.close();
  EXPECT_EQ(read_text(path), "new");
}

TEST(FileWriter, FlushMakesTheTextVisible) {
  const TempFolder folder;
  const fs::path path = folder.path() / "a.txt";
  FileWriter writer(path, false);
  writer.write("row\n");
  EXPECT_EQ(read_text(path), "");
  writer.flush();
  EXPECT_EQ(read_text(path), "row\n");
}

TEST(FileWriter, DestructorWritesTheRest) {
  const TempFolder folder;
  const fs::path path = folder.path() / "a.txt";
  { FileWriter(path, false).write("row\n"); }
  EXPECT_EQ(read_text(path), "row\n");
}

TEST(FileWriter, MovesWithItsBuffer) {
  const TempFolder folder;
  const fs::path path = folder.path() / "a.txt";
  FileWriter first(path, false);
  first.write("one ");
  FileWriter second(std::move(first));
  second.write("two");
  second.close();
  EXPECT_EQ(read_text(path), "one two");
}

TEST(FileWriter, FullDiskIsAnErrorAtFlushAndADeviceNeedsNoForce) {
  if (!fs::exists("/dev/full")) GTEST_SKIP() << "no /dev/full here";
  FileWriter writer("/dev/full", false);
  writer.write("row\n");
  EXPECT_EQ(output_error_of([&] { writer.flush(); }),
            "/dev/full: cannot write (0 of 4 bytes written): No space left on device");
}

TEST(FileWriter, DestructorIsSilentOnAFullDisk) {
  if (!fs::exists("/dev/full")) GTEST_SKIP() << "no /dev/full here";
  EXPECT_NO_THROW(FileWriter("/dev/full", false).write("row\n"));
}

TEST(FileWriter, DiskThatFillsUpLeavesCompleteRecords) {
  const TempFolder folder;
  const fs::path path = folder.path() / "a.txt";
  const FileSizeLimit limit(10);
  FileWriter writer(path, false);
  writer.write("first\n");
  writer.flush();
  writer.write("second\n");  // 4 of its 7 bytes fit
  EXPECT_EQ(output_error_of([&] { writer.flush(); }),
            path.string() + ": cannot write (4 of 7 bytes written): File too large");
  EXPECT_EQ(read_text(path), "first\n");
  writer.write("3rd\n");
  writer.close();
  EXPECT_EQ(read_text(path), "first\n3rd\n");
}

/// Bytes written after a gap would follow NUL bytes.
TEST(FileWriter, AFileThatAnotherProgramCutsIsAnErrorAndGetsNoGap) {
  const TempFolder folder;
  const fs::path path = folder.path() / "a.txt";
  for (const std::size_t left : {0U, 3U}) {
    FileWriter writer(path, true);
    writer.write("first\n");
    writer.flush();
    fs::resize_file(path, left);
    writer.write("second\n");
    const std::string message = path.string() + ": another program cut it to " + std::to_string(left) +
                                " bytes after 6 were written (leave a run's files alone while it writes them)";
    EXPECT_EQ(output_error_of([&] { writer.flush(); }), message);
    EXPECT_EQ(output_error_of([&] { writer.flushed_mark(); }), message) << "nor does a checkpoint name it";
    EXPECT_EQ(read_text(path), std::string("first\n").substr(0, left));
  }
}

FileMark mark_of(std::string_view text) {
  return {text.size(), static_cast<std::uint32_t>(
                           ::crc32(0, reinterpret_cast<const Bytef*>(text.data()), static_cast<uInt>(text.size())))};
}

TEST(FileWriter, MarksWhatWasFlushed) {
  const TempFolder folder;
  FileWriter writer(folder.path() / "a.txt", false);
  EXPECT_EQ(writer.mark(), FileMark{});
  writer.write("one\n");
  EXPECT_EQ(writer.mark(), FileMark{}) << "not yet flushed";
  writer.flush();
  EXPECT_EQ(writer.mark(), mark_of("one\n"));
  const std::string much(200'000, 'x');  // written to the file in pieces
  writer.write(much);
  EXPECT_EQ(writer.mark(), mark_of("one\n")) << "part of it is in the file, but no record is complete";
  writer.flush();
  EXPECT_EQ(writer.mark(), mark_of("one\n" + much));
  writer.write("three\n");
  EXPECT_EQ(writer.flushed_mark(), mark_of("one\n" + much + "three\n")) << "flushes";
  writer.close();
  EXPECT_EQ(writer.mark(), mark_of("one\n" + much + "three\n"));
  EXPECT_EQ(writer.flushed_mark(), writer.mark()) << "also of a closed file";
}

TEST(FileWriter, AFailedWriteLeavesTheMarkOfTheLastRecord) {
  const TempFolder folder;
  const fs::path path = folder.path() / "a.txt";
  FileWriter writer(path, false);
  writer.write("first\n");
  writer.flush();
  {
    const FileSizeLimit limit(100'000);
    writer.write(std::string(50'000, 'x'));
    EXPECT_NE(output_error_of([&] {
                writer.write(std::string(200'000, 'y'));  // the first 65,536 bytes are written, then some of the next
                writer.flush();
              }),
              "");
    EXPECT_EQ(writer.mark(), mark_of("first\n"));
    EXPECT_EQ(read_text(path), "first\n");
  }
  writer.write("second\n");
  writer.flush();
  EXPECT_EQ(writer.mark(), mark_of("first\nsecond\n")) << "nothing of the failed record is in it";
  EXPECT_EQ(read_text(path), "first\nsecond\n");
}

TEST(FileWriter, ContinuesBehindAMark) {
  const TempFolder folder;
  const fs::path path = folder.path() / "a.txt";
  const std::string kept = "one\n" + std::string(150'000, 'x') + '\n';
  for (const std::string& beyond : std::vector<std::string>{"", "two\nthr", "longer than what is written again\n"}) {
    folder.write("a.txt", kept + beyond);
    FileWriter writer(path, mark_of(kept));
    EXPECT_EQ(read_text(path), kept) << "cut back";
    EXPECT_EQ(writer.mark(), mark_of(kept));
    writer.write("two\n");
    writer.flush();
    EXPECT_EQ(writer.mark(), mark_of(kept + "two\n"));
    writer.close();
    EXPECT_EQ(read_text(path), kept + "two\n");
  }
}

TEST(FileWriter, ContinuesFromTheBeginning) {
  const TempFolder folder;
  const fs::path path = folder.write("a.txt", "old\n");
  FileWriter writer(path, FileMark{});
  EXPECT_EQ(read_text(path), "");
  writer.write("new\n");
  writer.close();
  EXPECT_EQ(read_text(path), "new\n");
}

/// A record fails after the file was truncated and continued.
TEST(FileWriter, AResumedFileKeepsItsRecordsOnAFullDisk) {
  const TempFolder folder;
  const fs::path path = folder.write("a.txt", "first\nsecond\n");
  const FileSizeLimit limit(10);
  FileWriter writer(path, mark_of("first\n"));
  writer.write("other\n");
  EXPECT_NE(output_error_of([&] { writer.flush(); }), "");
  EXPECT_EQ(read_text(path), "first\n");
  EXPECT_EQ(writer.mark(), mark_of("first\n"));
}

TEST(FileWriter, AFileThatIsNotAsItWasMarkedIsRefusedAndLeftAlone) {
  const TempFolder folder;
  const std::string text = std::string(100'000, 'x') + "\nlast\n";
  const fs::path path = folder.path() / "a.txt";
  const auto expect_refused = [&](const std::string& found, const std::string& message) {
    folder.write("a.txt", found);
    for (const bool resumes : {false, true}) {
      const std::string error = output_error_of([&] {
        if (resumes)
          FileWriter(path, mark_of(text));
        else
          require_mark(path, mark_of(text));
      });
      EXPECT_THAT(error, testing::StartsWith(path.string() + ' ' + message));
      EXPECT_THAT(error,
                  testing::EndsWith("(put back the file that the run wrote, or continue in another folder with -o)"));
      EXPECT_TRUE(read_text(path) == found);
    }
  };
  expect_refused(text.substr(0, text.size() - 1), "is shorter than the 100006 bytes recorded in the checkpoint");
  expect_refused("", "is shorter than the 100006 bytes");
  for (const std::size_t at : {std::size_t{0}, std::size_t{65'535}, std::size_t{65'536}, text.size() - 1}) {
    std::string changed = text;
    changed[at] ^= 1;
    expect_refused(changed, "was changed: its first 100006 bytes are not those");
    expect_refused(changed + "more", "was changed: ");
  }
  folder.write("a.txt", text + "more");
  EXPECT_NO_THROW(require_mark(path, mark_of(text)));
  EXPECT_TRUE(read_text(path) == text + "more") << "only looked at";
}

/// Opening a pipe would wait for a writer for ever.
TEST(FileWriter, APipeIsNoFileToGoOnWith) {
  const TempFolder folder;
  const fs::path path = folder.path() / "pipe";
  ASSERT_EQ(::mkfifo(path.c_str(), 0600), 0);
  EXPECT_THAT(output_error_of([&] { require_mark(path, mark_of("row\n")); }),
              testing::HasSubstr("is not a regular file"));
}

TEST(FileWriter, AFileThatIsGoneIsNotCreatedAgain) {
  const TempFolder folder;
  const fs::path path = folder.path() / "a.txt";
  for (const FileMark& mark : {FileMark{}, mark_of("row\n")}) {
    EXPECT_EQ(
        output_error_of([&] { FileWriter(path, mark); }),
        path.string() + " is missing (put back the file that the run wrote, or continue in another folder with -o)");
    EXPECT_EQ(
        output_error_of([&] { require_mark(path, mark); }),
        path.string() + " is missing (put back the file that the run wrote, or continue in another folder with -o)");
  }
  EXPECT_FALSE(fs::exists(path));
}

TEST(FileWriter, MissingFolderIsNamed) {
  const TempFolder folder;
  const fs::path path = folder.path() / "none" / "a.txt";
  EXPECT_EQ(output_error_of([&] { FileWriter(path, false); }),
            path.string() + ": cannot create the file: No such file or directory");
}

TEST(FileWriter, DirectoryIsNoFile) {
  const TempFolder folder;
  EXPECT_EQ(output_error_of([&] { FileWriter(folder.path(), true); }),
            folder.path().string() + ": cannot create the file: Is a directory");
}

TEST(FileWriter, FolderWithoutPermissionIsNamed) {
  if (geteuid() == 0) GTEST_SKIP() << "root may write everywhere";
  const TempFolder folder;
  fs::permissions(folder.path(), fs::perms::owner_read | fs::perms::owner_exec);
  const fs::path path = folder.path() / "a.txt";
  EXPECT_EQ(output_error_of([&] { FileWriter(path, false); }),
            path.string() + ": cannot create the file: Permission denied");
  fs::permissions(folder.path(), fs::perms::owner_all);
}

TEST(CreateFolder, CreatesThoseAboveAndAcceptsAnExistingOne) {
  const TempFolder folder;
  const fs::path path = folder.path() / "a" / "b";
  create_folder(path);
  EXPECT_TRUE(fs::is_directory(path));
  EXPECT_NO_THROW(create_folder(path));
}

TEST(CreateFolder, FileInTheWayIsAnError) {
  const TempFolder folder;
  const fs::path path = folder.write("out", "");
  EXPECT_EQ(output_error_of([&] { create_folder(path); }),
            path.string() + ": cannot create the folder: Not a directory");
}

}  // namespace
}  // namespace dropmd
