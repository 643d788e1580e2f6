#include "outputs/checkpoint/checkpoint_file.h"

#include <fcntl.h>
#include <fmt/core.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include "outputs/checkpoint/hdf5_object.h"
#include "outputs/files/file_descriptor.h"
#include "tests/fuzz/hostile_readings.h"
#include "tests/outputs/checkpoint_files.h"
#include "tests/outputs/file_size_limit.h"
#include "tests/support/system/held_memory.h"

namespace dropmd {
namespace {

using testing::AllOf;
using testing::HasSubstr;

TEST_F(CheckpointFile, ComesBackToTheLastBit) {
  for (const std::size_t n_atoms : {0U, 1U, 2U, 33U})
    for (const Checkpoint& written : {full_checkpoint(n_atoms), bare_checkpoint(n_atoms)}) {
      SCOPED_TRACE(n_atoms);
      write_checkpoint(path(), written);
      expect_same(read_checkpoint(path()), written);
    }
}

TEST_F(CheckpointFile, EachPartMayBeMissingByItself) {
  const auto expect_back = [&](const auto& change) {
    Checkpoint checkpoint = full_checkpoint(5);
    change(checkpoint);
    write_checkpoint(path(), checkpoint);
    expect_same(read_checkpoint(path()), checkpoint);
  };
  expect_back([](Checkpoint& c) { c.run_file.clear(); });
  expect_back([](Checkpoint& c) { c.title.clear(); });
  expect_back([](Checkpoint& c) { c.radius.reset(); });
  expect_back([](Checkpoint& c) { c.state.integrator_state.clear(); });
  expect_back([](Checkpoint& c) { c.state.force.clear(); });
  expect_back([](Checkpoint& c) { c.state.list_positions.clear(); });
  expect_back([](Checkpoint& c) { c.state.term_states.clear(); });
  expect_back([](Checkpoint& c) { c.coulomb_mesh.clear(); });
  expect_back([](Checkpoint& c) { c.choices.clear(); });
  expect_back([](Checkpoint& c) { c.replayed.clear(); });
  expect_back([](Checkpoint& c) { c.state.droplet.reset(); });
  expect_back([](Checkpoint& c) { c.state.droplet->members.clear(); });
  expect_back([](Checkpoint& c) { c.map.reset(); });
  expect_back([](Checkpoint& c) { c.map->sum.clear(), c.map->frames = 0; });
  expect_back([](Checkpoint& c) { c.outputs.clear(); });
}

TEST_F(CheckpointFile, ChoicesToFollowBeginAtStepZero) {
  Checkpoint checkpoint = full_checkpoint(5);
  checkpoint.replayed.front().step = 1;
  write_checkpoint(path(), checkpoint);
  try {
    read_checkpoint(path());
    ADD_FAILURE() << "a run at step 0 would have no method";
  } catch (const InputError& error) {
    EXPECT_THAT(error.what(), testing::HasSubstr("/replay/step is not as"));
  }
}

TEST_F(CheckpointFile, TheSameCheckpointIsTheSameBytes) {
  const std::string first = bytes_of(full_checkpoint(33));
  ::sleep(1);  // a checkpoint must hold no time of day
  EXPECT_TRUE(bytes_of(full_checkpoint(33)) == first);
  Checkpoint other = full_checkpoint(33);
  other.state.position[32].z = 0;
  EXPECT_FALSE(bytes_of(other) == first);
}

/// Whether the one before has as many values, so that its image is used again, or not.
TEST_F(CheckpointFile, TheOnesBeforeChangeNoByte) {
  const Checkpoint first = full_checkpoint(33);
  Checkpoint moved = first, commented = first;
  moved.state.step = 77;
  moved.state.position[32].z = 1;
  moved.outputs.back().mark.bytes += 5;
  commented.replayed_comments.push_back({7, "a text that is not in the others"});
  CheckpointImage of_run;
  for (const Checkpoint& checkpoint :
       {first, moved, first, commented, moved, full_checkpoint(32), bare_checkpoint(32), bare_checkpoint(0), first})
    EXPECT_TRUE(of_run.of(checkpoint) == checkpoint_image(checkpoint));
  EXPECT_EQ(of_run.n_made(), 7) << "moved and first were written over first";
}

/// Other programs can read the block at the beginning, and HDF5's own programs skip it.
TEST_F(CheckpointFile, BeginsWithLengthAndChecksum) {
  const std::string bytes = bytes_of(full_checkpoint(2));
  const std::string image = bytes.substr(kCheckpointBlock);
  std::string block =
      fmt::format("dropmd checkpoint 1\nbytes {}\ncrc32 {:08x}\n", image.size(),
                  ::crc32(0, reinterpret_cast<const Bytef*>(image.data()), static_cast<uInt>(image.size())));
  block.resize(kCheckpointBlock, '\n');
  EXPECT_EQ(bytes.substr(0, kCheckpointBlock), block);
  EXPECT_EQ(image.substr(0, 8), "\x89HDF\r\n\x1a\n");
  const Hdf5Silence silence;
  const Hdf5Object file(H5Fopen(path().c_str(), H5F_ACC_RDONLY, H5P_DEFAULT), H5Fclose);
  EXPECT_TRUE(file.valid()) << "HDF5 finds it behind the block";
}

TEST_F(CheckpointFile, EveryChangedByteIsRefused) {
  const std::string bytes = bytes_of(full_checkpoint(2));
  const FileDescriptor file(::open(path().c_str(), O_RDWR | O_CLOEXEC));
  ASSERT_TRUE(file.is_open());
  std::size_t refused = 0;
  for (std::size_t at = 0; at < bytes.size(); ++at)
    for (const unsigned flip : {0x01U, 0xFFU}) {
      const auto changed = static_cast<char>(static_cast<unsigned char>(bytes[at]) ^ flip);
      ASSERT_EQ(::pwrite(file.get(), &changed, 1, static_cast<off_t>(at)), 1);
      const std::string message = refusal_of(path());
      ASSERT_TRUE(message.starts_with(path().string() + ": ")) << "byte " << at << " ^ " << flip << ": " << message;
      ASSERT_TRUE(message.ends_with(')')) << "what would be right: " << message;
      ++refused;
      ASSERT_EQ(::pwrite(file.get(), &bytes[at], 1, static_cast<off_t>(at)), 1);
    }
  EXPECT_EQ(refused, 2 * bytes.size());
  EXPECT_EQ(refusal_of(path()), "") << "put back, it is read";
}

TEST_F(CheckpointFile, EveryCutIsRefused) {
  const std::string bytes = bytes_of(full_checkpoint(2));
  for (std::size_t length = bytes.size(); length-- > 0;) {
    if (length >= 1024 && length + 64 < bytes.size() && length % 7 != 0) continue;
    ASSERT_EQ(::truncate(path().c_str(), static_cast<off_t>(length)), 0);
    ASSERT_THAT(refusal_of(path()), testing::StartsWith(path().string() + ": ")) << length;
  }
  EXPECT_THAT(refusal_of_bytes(bytes + '\n'), HasSubstr("damaged")) << "longer by a byte";
  EXPECT_THAT(refusal_of_bytes(bytes + bytes), HasSubstr("damaged"));
}

TEST_F(CheckpointFile, DamageNamesTheOneBefore) {
  std::string bytes = bytes_of(full_checkpoint(2));
  bytes[700] ^= 1;
  EXPECT_THAT(refusal_of_bytes(bytes), HasSubstr("(start again from")) << "there is none";
  write_checkpoint(previous(), full_checkpoint(1));
  EXPECT_EQ(refusal_of_bytes(bytes),
            path().string() + ": the checkpoint is damaged: its bytes are not those that were written (try " +
                previous().string() + ")");
}

TEST_F(CheckpointFile, OtherFilesAreRefused) {
  const std::string none = ": there is no such checkpoint (expected: a checkpoint.h5 that a run wrote)";
  const std::string other = ": this is not a checkpoint (expected: a checkpoint.h5 that a run wrote)";
  EXPECT_EQ(refusal_of(path()), path().string() + none);
  EXPECT_EQ(refusal_of(folder().path()), folder().path().string() + none);
  EXPECT_EQ(refusal_of(folder().path() / "no" / "folder.h5"), (folder().path() / "no" / "folder.h5").string() + none);
  const fs::path pipe = folder().path() / "pipe";
  ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
  EXPECT_EQ(refusal_of(pipe), pipe.string() + none) << "and does not wait for its writer";
  EXPECT_EQ(refusal_of_bytes(""), path().string() + other);
  EXPECT_EQ(refusal_of_bytes("units = \"lj\"\n"), path().string() + other);
  EXPECT_EQ(refusal_of_bytes(std::string(100'000, 'x')), path().string() + other);
  EXPECT_EQ(refusal_of_bytes(std::string(100'000, '\0')), path().string() + other);
  const std::string bytes = bytes_of(full_checkpoint(2));
  EXPECT_EQ(refusal_of_bytes(bytes.substr(kCheckpointBlock)), path().string() + other) << "HDF5 without our block";
  EXPECT_EQ(refusal_of_bytes(bytes.substr(0, kCheckpointBlock)), path().string() + other) << "our block without HDF5";
}

TEST_F(CheckpointFile, OtherFormatsAreRefused) {
  for (const char* const number : {"2", "11", "0", "-1", "999999999999999999999", ""}) {
    std::string bytes = bytes_of(full_checkpoint(2));
    bytes.replace(std::string_view("dropmd checkpoint ").size(), 1, number);
    EXPECT_EQ(refusal_of_bytes(bytes),
              path().string() + ": this is a checkpoint of another version of dropmd (use the version that wrote it)")
        << number;
  }
}

/// As when a run resumes from the previous checkpoint because the latest cannot be read.
TEST_F(CheckpointFile, ADamagedOneTakesNoGoodOnesPlace) {
  const Checkpoint first = full_checkpoint(1), second = full_checkpoint(2), third = bare_checkpoint(3);
  write_checkpoint(path(), first);
  write_checkpoint(path(), second);
  std::string damaged = read_text(path());
  damaged[damaged.size() / 2] ^= 1;
  folder().write("checkpoint.h5", damaged);
  write_checkpoint(path(), third);
  expect_same(read_checkpoint(path()), third);
  expect_same(read_checkpoint(previous()), first);
}

TEST_F(CheckpointFile, KeepsTheOneBefore) {
  const Checkpoint first = full_checkpoint(1), second = full_checkpoint(2), third = bare_checkpoint(3);
  EXPECT_EQ(previous_checkpoint(path()), previous());
  EXPECT_EQ(previous_checkpoint("x"), "x-previous");
  write_checkpoint(path(), first);
  EXPECT_FALSE(fs::exists(previous()));
  write_checkpoint(path(), second);
  expect_same(read_checkpoint(path()), second);
  expect_same(read_checkpoint(previous()), first);
  write_checkpoint(path(), third);
  expect_same(read_checkpoint(path()), third);
  expect_same(read_checkpoint(previous()), second);
  EXPECT_EQ(count_entries(folder().path()), 2U) << "and leaves nothing else";
}

TEST_F(CheckpointFile, KeepsTheOneBeforeBehindALink) {
  const Checkpoint first = full_checkpoint(1), second = full_checkpoint(2), third = bare_checkpoint(3);
  fs::create_directory(folder().path() / "there");
  const fs::path real = folder().path() / "there/real.h5";
  write_checkpoint(real, first);
  fs::create_symlink(real, path());
  write_checkpoint(path(), second);
  EXPECT_TRUE(fs::is_symlink(path()));
  expect_same(read_checkpoint(real), second);
  expect_same(read_checkpoint(previous()), first);
  write_checkpoint(path(), third);
  expect_same(read_checkpoint(path()), third);
  expect_same(read_checkpoint(previous()), second);
  EXPECT_EQ(count_entries(folder().path()), 3U) << "and leaves nothing else";
  EXPECT_EQ(count_entries(folder().path() / "there"), 1U);
}

TEST_F(CheckpointFile, WhereItCannotBeWrittenIsAnError) {
  const Checkpoint checkpoint = full_checkpoint(2);
  const fs::path nowhere = folder().path() / "none" / "checkpoint.h5";
  EXPECT_EQ(output_error_of([&] { write_checkpoint(nowhere, checkpoint); }),
            nowhere.string() + ": cannot create a temporary file in its folder: No such file or directory");
  const fs::path in_a_file = folder().write("file", "precious") / "checkpoint.h5";
  EXPECT_THAT(output_error_of([&] { write_checkpoint(in_a_file, checkpoint); }),
              AllOf(HasSubstr(in_a_file.string()), HasSubstr("Not a directory")));
  EXPECT_EQ(read_text(folder().path() / "file"), "precious");
  fs::create_directory(path());
  EXPECT_THAT(output_error_of([&] { write_checkpoint(path(), checkpoint); }),
              AllOf(HasSubstr(path().string()), HasSubstr("Is a directory")));
}

TEST_F(CheckpointFile, AReadOnlyFolderKeepsWhatIsThere) {
  if (geteuid() == 0) GTEST_SKIP() << "root may write everywhere";
  const std::string before = bytes_of(full_checkpoint(2));
  fs::permissions(folder().path(), fs::perms::owner_read | fs::perms::owner_exec);
  EXPECT_THAT(output_error_of([&] { write_checkpoint(path(), full_checkpoint(3)); }), HasSubstr("Permission denied"));
  fs::permissions(folder().path(), fs::perms::owner_all);
  EXPECT_TRUE(read_text(path()) == before);
  EXPECT_EQ(count_entries(folder().path()), 1U);
}

/// Both checkpoints are kept: the previous one is given up only for a complete new one.
TEST_F(CheckpointFile, AFullDiskKeepsWhatIsThere) {
  write_checkpoint(path(), full_checkpoint(1));
  write_checkpoint(path(), full_checkpoint(2));
  const std::string before = read_text(path()), earlier = read_text(previous());
  for (const rlim_t room : {0U, 100U, 512U, 5000U}) {
    const FileSizeLimit limit(room);
    EXPECT_THAT(output_error_of([&] { write_checkpoint(path(), full_checkpoint(33)); }),
                AllOf(HasSubstr(path().string()), HasSubstr("File too large")));
  }
  EXPECT_TRUE(read_text(path()) == before);
  EXPECT_TRUE(read_text(previous()) == earlier);
  EXPECT_EQ(count_entries(folder().path()), 2U) << "and no temporary";
  write_checkpoint(path(), full_checkpoint(33));
  expect_same(read_checkpoint(path()), full_checkpoint(33));
}

/// Names of one byte produce the most objects for the size of the file.
TEST_F(CheckpointFile, TakesMemoryInProportionToTheFile) {
  if (!HeldMemory::is_counting()) GTEST_SKIP() << "a sanitizer has the memory";
  const HostileReading& reading = hostile_reading("checkpoint");
  Checkpoint c = bare_checkpoint(1);
  c.species_names.assign(1'000'000, "");
  const std::size_t size = bytes_of(c).size();
  const HeldMemory memory;
  EXPECT_EQ(read_checkpoint(path()).species_names.size(), c.species_names.size());
  EXPECT_LE(memory.most(), reading.bytes_per_byte * size + reading.fixed_bytes);
  EXPECT_GT(memory.most(), 20 * size) << "or it is no hard case";
}

/// No byte of another large file is read, and no memory is allocated for it.
TEST_F(CheckpointFile, OfAnotherLengthThanItSaysIsRefusedBeforeItIsRead) {
  std::string bytes = bytes_of(bare_checkpoint(1));
  folder().write("checkpoint.h5", bytes);
  fs::resize_file(path(), std::uintmax_t{1} << 40U);  // a sparse file
  const HeldMemory memory;
  EXPECT_THAT(refusal_of(path()), HasSubstr("the checkpoint is damaged"));
  EXPECT_LT(memory.most(), 100'000U);
}

}  // namespace
}  // namespace dropmd
