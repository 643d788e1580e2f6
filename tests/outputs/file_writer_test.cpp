#include "outputs/file_writer.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <utility>

#include "tests/outputs/file_size_limit.h"
#include "tests/outputs/output_files.h"
#include "tests/support/temp_folder.h"

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
            path.string() + " exists (use --force to overwrite it, or choose another -o)");
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
