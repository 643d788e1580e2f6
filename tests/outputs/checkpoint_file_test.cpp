#include "outputs/checkpoint_file.h"

#include <fcntl.h>
#include <fmt/core.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include <cmath>
#include <cstring>
#include <limits>

#include "core/errors.h"
#include "outputs/file_descriptor.h"
#include "outputs/hdf5_object.h"
#include "tests/fuzz/hostile_readings.h"
#include "tests/outputs/file_size_limit.h"
#include "tests/outputs/output_files.h"
#include "tests/support/held_memory.h"
#include "tests/support/temp_folder.h"

namespace dropmd {
namespace {

namespace fs = std::filesystem;
using testing::AllOf;
using testing::HasSubstr;

constexpr std::size_t kBlock = 512;

/// The message of the InputError with which a checkpoint is refused; empty if it is read.
std::string refusal_of(const fs::path& path) {
  try {
    read_checkpoint(path);
  } catch (const InputError& error) {
    return error.what();
  }
  return {};
}

/// Numbers whose bits a careless reader or writer changes, one after the other.
class AwkwardNumbers {
 public:
  double next() {
    constexpr double kNumbers[] = {-0.0, 0.0,     5e-324, -2.2250738585072011e-308, 1e308,     -1.7976931348623157e308,
                                   0.1,  1.0 / 3, -1e-17, 123456789.123456789,      1 + 1e-16, 2.5};
    ++at_;
    return kNumbers[at_ % std::size(kNumbers)] * (at_ % 5 == 0 ? 0.5 : 1);
  }
  double next_positive() {
    const double number = std::abs(next());
    return number > 0 ? number : 1.5;
  }
  Vec3<double> next_vector() {
    const double x = next(), y = next(), z = next();
    return {x, y, z};
  }
  std::vector<Vec3<double>> vectors(std::size_t n) {
    std::vector<Vec3<double>> values(n);
    for (Vec3<double>& value : values) value = next_vector();
    return values;
  }

 private:
  std::size_t at_ = 0;
};

/// Everything that may be there.
Checkpoint full_checkpoint(std::size_t n_atoms) {
  AwkwardNumbers numbers;
  Checkpoint c;
  c.run_file = "title = \"Tröpfchen\"\nunits = \"lj\"\n";
  c.title = "水滴, -40 °C";
  c.radius = 0.1;
  c.species_names = {"Na⁺", "", "Cl", "with blanks and 'quotes'"};
  for (std::size_t i = 0; i < n_atoms; ++i) {
    c.mass.push_back(numbers.next_positive());
    c.charge.push_back(numbers.next());
    c.species.push_back(static_cast<std::uint32_t>(i % c.species_names.size()));
  }
  c.state = {.step = std::numeric_limits<std::int64_t>::max() - 1,
             .n_dof = 3 * n_atoms,
             .position = numbers.vectors(n_atoms),
             .velocity = numbers.vectors(n_atoms),
             .learnt = {0.013, 0.099, 7, -0.0},
             .backend = Backend::cuda,
             .precision = Precision::fp64,
             .choice = {std::numeric_limits<std::int64_t>::max() - 1, NeighborMethod::pair_list, 0.1, 1.0 / 3,
                        ListForm::twins},
             .force = numbers.vectors(n_atoms),
             .list_positions = numbers.vectors(n_atoms)};
  DeviceOrder& device = c.state.device;
  for (std::size_t i = n_atoms; i-- > 0;) device.number.push_back(static_cast<std::uint32_t>(i));
  device.force_sums = {~std::uint64_t{0}, 0, std::uint64_t{1} << 63U, 17};
  device.anchor = numbers.next_vector();
  device.sorted_at = 1000, device.sort_interval = 300, device.sort_at = 1300, device.sortings = 4;
  device.sorted_places = numbers.vectors(n_atoms);
  device.sorted_anchor = numbers.next_vector();
  c.choices = {{0, NeighborMethod::cells, 0, 0.7, ListForm::automatic},
               {326, NeighborMethod::pair_list, 5e-324, 0, ListForm::resident},
               {1'000'000'000'000, NeighborMethod::all_pairs, 0, 0, ListForm::clusters}};
  c.replayed = {{0, NeighborMethod::sorted_cells, 0.25, 0, ListForm::automatic},
                {7, NeighborMethod::pair_list, 0.5, 0, ListForm::twins}};
  c.outputs = {{"energy.csv", {.bytes = 123, .crc = 0xFFFFFFFF}},
               {"trajectory.xyz", {.bytes = std::uint64_t{1} << 63U, .crc = 0}},
               {"wörter und mehr.csv", {}}};
  return c;
}

/// Nothing that may be missing.
Checkpoint bare_checkpoint(std::size_t n_atoms) {
  Checkpoint c;
  c.mass.assign(n_atoms, 1.0);
  c.charge.assign(n_atoms, 0.0);
  c.species.assign(n_atoms, 0);
  if (n_atoms > 0) c.species_names = {"X"};
  c.state.position.assign(n_atoms, {});
  c.state.velocity.assign(n_atoms, {});
  c.state.backend = Backend::cpu;
  return c;
}

/// Also -0.0 is not 0.0.
template <class T>
bool same_bits(const std::vector<T>& a, const std::vector<T>& b) {
  return a.size() == b.size() && (a.empty() || std::memcmp(a.data(), b.data(), a.size() * sizeof(T)) == 0);
}
bool same_bits(double a, double b) { return std::memcmp(&a, &b, sizeof a) == 0; }

void expect_same(const Checkpoint& a, const Checkpoint& b) {
  EXPECT_EQ(a.run_file, b.run_file);
  EXPECT_EQ(a.title, b.title);
  ASSERT_EQ(a.radius.has_value(), b.radius.has_value());
  EXPECT_TRUE(same_bits(a.radius.value_or(0), b.radius.value_or(0)));
  EXPECT_TRUE(same_bits(a.mass, b.mass));
  EXPECT_TRUE(same_bits(a.charge, b.charge));
  EXPECT_EQ(a.species, b.species);
  EXPECT_EQ(a.species_names, b.species_names);
  EXPECT_EQ(a.state.step, b.state.step);
  EXPECT_EQ(a.state.n_dof, b.state.n_dof);
  EXPECT_TRUE(same_bits(a.state.position, b.state.position));
  EXPECT_TRUE(same_bits(a.state.velocity, b.state.velocity));
  EXPECT_TRUE(same_bits(a.state.learnt, b.state.learnt));
  EXPECT_EQ(a.state.backend, b.state.backend);
  EXPECT_EQ(a.state.precision, b.state.precision);
  EXPECT_EQ(a.state.choice, b.state.choice);
  EXPECT_TRUE(same_bits(a.state.force, b.state.force));
  EXPECT_TRUE(same_bits(a.state.list_positions, b.state.list_positions));
  const DeviceOrder &d = a.state.device, &e = b.state.device;
  EXPECT_EQ(d.number, e.number);
  EXPECT_EQ(d.force_sums, e.force_sums);
  EXPECT_TRUE(same_bits(std::vector{d.anchor, d.sorted_anchor}, std::vector{e.anchor, e.sorted_anchor}));
  EXPECT_EQ(d.sorted_at, e.sorted_at);
  EXPECT_EQ(d.sort_interval, e.sort_interval);
  EXPECT_EQ(d.sort_at, e.sort_at);
  EXPECT_EQ(d.sortings, e.sortings);
  EXPECT_TRUE(same_bits(d.sorted_places, e.sorted_places));
  EXPECT_EQ(a.choices, b.choices);
  EXPECT_EQ(a.replayed, b.replayed);
  ASSERT_EQ(a.outputs.size(), b.outputs.size());
  for (std::size_t k = 0; k < a.outputs.size(); ++k) {
    EXPECT_EQ(a.outputs[k].name, b.outputs[k].name);
    EXPECT_EQ(a.outputs[k].mark, b.outputs[k].mark);
  }
}

class CheckpointFile : public testing::Test {
 protected:
  fs::path path() const { return folder_.path() / "checkpoint.h5"; }
  fs::path previous() const { return folder_.path() / "checkpoint-previous.h5"; }
  const TempFolder& folder() const { return folder_; }

  std::string bytes_of(const Checkpoint& checkpoint) const {
    write_checkpoint(path(), checkpoint);
    return read_text(path());
  }
  /// Of a file of these bytes.
  std::string refusal_of_bytes(std::string_view bytes) const {
    folder_.write("checkpoint.h5", bytes);
    return refusal_of(path());
  }

 private:
  TempFolder folder_;
};

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
  expect_back([](Checkpoint& c) { c.state.learnt.clear(); });
  expect_back([](Checkpoint& c) { c.state.force.clear(); });
  expect_back([](Checkpoint& c) { c.state.list_positions.clear(); });
  expect_back([](Checkpoint& c) { c.choices.clear(); });
  expect_back([](Checkpoint& c) { c.replayed.clear(); });
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
  ::sleep(1);  // no times in it
  EXPECT_TRUE(bytes_of(full_checkpoint(33)) == first);
  Checkpoint other = full_checkpoint(33);
  other.state.position[32].z = 0;
  EXPECT_FALSE(bytes_of(other) == first);
}

/// The block that other programs can read and that HDF5's own pass over.
TEST_F(CheckpointFile, BeginsWithLengthAndChecksum) {
  const std::string bytes = bytes_of(full_checkpoint(2));
  const std::string image = bytes.substr(kBlock);
  std::string block =
      fmt::format("dropmd checkpoint 1\nbytes {}\ncrc32 {:08x}\n", image.size(),
                  ::crc32(0, reinterpret_cast<const Bytef*>(image.data()), static_cast<uInt>(image.size())));
  block.resize(kBlock, '\n');
  EXPECT_EQ(bytes.substr(0, kBlock), block);
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
  EXPECT_THAT(refusal_of_bytes(bytes), HasSubstr("(start anew,")) << "there is none";
  write_checkpoint(previous(), full_checkpoint(1));
  EXPECT_EQ(refusal_of_bytes(bytes),
            path().string() + ": the checkpoint is damaged: its bytes are not those that were written (try " +
                previous().string() + ")");
}

TEST_F(CheckpointFile, OtherFilesAreRefused) {
  const std::string none = ": there is no such checkpoint (a checkpoint.h5 that a run wrote)";
  const std::string other = ": this is no checkpoint (a checkpoint.h5 that a run wrote)";
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
  EXPECT_EQ(refusal_of_bytes(bytes.substr(kBlock)), path().string() + other) << "HDF5 without our block";
  EXPECT_EQ(refusal_of_bytes(bytes.substr(0, kBlock)), path().string() + other) << "our block without HDF5";
}

TEST_F(CheckpointFile, OtherFormatsAreRefused) {
  for (const char* const number : {"2", "11", "0", "-1", "999999999999999999999", ""}) {
    std::string bytes = bytes_of(full_checkpoint(2));
    bytes.replace(std::string_view("dropmd checkpoint ").size(), 1, number);
    EXPECT_EQ(refusal_of_bytes(bytes),
              path().string() + ": this is a checkpoint of another version of dropmd (take the version that wrote it)")
        << number;
  }
}

/// As when a run goes on from the one before because the latest cannot be read.
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

/// Both of them: the one before is given up for a whole new one only.
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

/// A checkpoint whose block is right and whose HDF5 file was changed.
class Forgery {
 public:
  /// bytes: of a good checkpoint.
  explicit Forgery(const std::string& bytes) : file_(open(bytes.substr(kBlock)), H5Fclose) {
    EXPECT_TRUE(file_.valid());
  }

  void remove(const std::string& name) { EXPECT_GE(H5Ldelete(file_.get(), name.c_str(), H5P_DEFAULT), 0) << name; }

  /// Instead of what has the name. values: as many as the dimensions say; null: never written.
  void array(const std::string& name, hid_t type, std::vector<hsize_t> dimensions, const void* values = nullptr) {
    remove(name);
    const auto rank = static_cast<int>(dimensions.size());
    const Hdf5Object space(rank == 0 ? H5Screate(H5S_SCALAR) : H5Screate_simple(rank, dimensions.data(), nullptr),
                           H5Sclose);
    const Hdf5Object data(
        H5Dcreate2(file_.get(), name.c_str(), type, space.get(), H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT), H5Dclose);
    EXPECT_TRUE(data.valid()) << name;
    if (values == nullptr) return;
    EXPECT_GE(H5Dwrite(data.get(), type, H5S_ALL, H5S_ALL, H5P_DEFAULT, values), 0) << name;
  }
  /// Chunks, of which none is there: the file stays short however long the array is.
  void endless(const std::string& name, hid_t type, std::vector<hsize_t> dimensions) {
    remove(name);
    const auto rank = static_cast<int>(dimensions.size());
    const hsize_t chunk[] = {1024, 3};
    const Hdf5Object how(H5Pcreate(H5P_DATASET_CREATE), H5Pclose);
    H5Pset_chunk(how.get(), rank, chunk);
    const Hdf5Object space(H5Screate_simple(rank, dimensions.data(), nullptr), H5Sclose);
    const Hdf5Object data(H5Dcreate2(file_.get(), name.c_str(), type, space.get(), H5P_DEFAULT, how.get(), H5P_DEFAULT),
                          H5Dclose);
    EXPECT_TRUE(data.valid()) << name;
  }
  /// A text whose bytes are another file's.
  void stored_in(const std::string& file, const std::string& name) {
    remove(name);
    const Hdf5Object type(H5Tcopy(H5T_C_S1), H5Tclose);
    H5Tset_size(type.get(), 8);
    const Hdf5Object how(H5Pcreate(H5P_DATASET_CREATE), H5Pclose);
    H5Pset_external(how.get(), file.c_str(), 0, 8);
    const hsize_t one = 1;
    const Hdf5Object space(H5Screate_simple(1, &one, nullptr), H5Sclose);
    const Hdf5Object data(
        H5Dcreate2(file_.get(), name.c_str(), type.get(), space.get(), H5P_DEFAULT, how.get(), H5P_DEFAULT), H5Dclose);
    EXPECT_TRUE(data.valid()) << name;
  }
  void external_link(const std::string& file, const std::string& name) {
    remove(name);
    EXPECT_GE(H5Lcreate_external(file.c_str(), "/secret", file_.get(), name.c_str(), H5P_DEFAULT, H5P_DEFAULT), 0);
  }
  void soft_link(const std::string& to, const std::string& name) {
    remove(name);
    EXPECT_GE(H5Lcreate_soft(to.c_str(), file_.get(), name.c_str(), H5P_DEFAULT, H5P_DEFAULT), 0);
  }
  /// One number in a chunk of a million, packed.
  void packed(const std::string& name) {
    remove(name);
    const hsize_t one = 1, most = H5S_UNLIMITED, chunk = 1'000'000;
    const Hdf5Object how(H5Pcreate(H5P_DATASET_CREATE), H5Pclose);
    H5Pset_chunk(how.get(), 1, &chunk);
    H5Pset_deflate(how.get(), 9);
    const Hdf5Object space(H5Screate_simple(1, &one, &most), H5Sclose);
    const Hdf5Object data(
        H5Dcreate2(file_.get(), name.c_str(), H5T_IEEE_F64LE, space.get(), H5P_DEFAULT, how.get(), H5P_DEFAULT),
        H5Dclose);
    const double value = 0;
    EXPECT_GE(H5Dwrite(data.get(), H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, &value), 0);
  }
  void numbers(const std::string& name, const std::vector<double>& values) {
    array(name, H5T_IEEE_F64LE, {values.size()}, values.data());
  }
  void vectors(const std::string& name, std::size_t n) {
    const std::vector<double> values(3 * n, 1.0);
    array(name, H5T_IEEE_F64LE, {n, 3}, values.data());
  }
  void words(const std::string& name, const std::vector<std::uint32_t>& values) {
    array(name, H5T_STD_U32LE, {values.size()}, values.data());
  }
  void integer(const std::string& name, std::int64_t value) { array(name, H5T_STD_I64LE, {1}, &value); }
  void natural(const std::string& name, std::uint64_t value) { array(name, H5T_STD_U64LE, {1}, &value); }
  void text(const std::string& name, const std::string& value) {
    const Hdf5Object type(H5Tcopy(H5T_C_S1), H5Tclose);
    H5Tset_size(type.get(), value.size());
    array(name, type.get(), {}, value.data());
  }
  void group(const std::string& name) {
    remove(name);
    const Hdf5Object made(H5Gcreate2(file_.get(), name.c_str(), H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT), H5Gclose);
    EXPECT_TRUE(made.valid());
  }

  std::string bytes() const {
    H5Fflush(file_.get(), H5F_SCOPE_LOCAL);
    std::string image(static_cast<std::size_t>(H5Fget_file_image(file_.get(), nullptr, 0)), '\0');
    H5Fget_file_image(file_.get(), image.data(), image.size());
    return with_block(image);
  }
  static std::string with_block(const std::string& image) {
    std::string block =
        fmt::format("dropmd checkpoint 1\nbytes {}\ncrc32 {:08x}\n", image.size(),
                    ::crc32(0, reinterpret_cast<const Bytef*>(image.data()), static_cast<uInt>(image.size())));
    block.resize(kBlock, '\n');
    return block + image;
  }

 private:
  static hid_t open(const std::string& image) {
    const Hdf5Object access(H5Pcreate(H5P_FILE_ACCESS), H5Pclose);
    H5Pset_fapl_core(access.get(), 4096, /*backing_store=*/false);
    H5Pset_file_image(access.get(), const_cast<char*>(image.data()), image.size());
    return H5Fopen("forgery", H5F_ACC_RDWR, access.get());
  }

  Hdf5Object file_;
};

class ForgedCheckpoint : public CheckpointFile {
 protected:
  static constexpr std::size_t kAtoms = 3;

  void SetUp() override { good_ = bytes_of(full_checkpoint(kAtoms)); }

  /// what: the message names it.
  template <class Change>
  void expect_refused(const std::string& what, const Change& change) {
    SCOPED_TRACE(what);
    Forgery forgery(good_);
    change(forgery);
    EXPECT_THAT(refusal_of_bytes(forgery.bytes()),
                AllOf(testing::StartsWith(path().string() + ": " + what + " is not as a checkpoint"), HasSubstr(" (")));
  }
  const std::string& good() const { return good_; }

 private:
  std::string good_;
};

constexpr const char* kArrays[] = {"/run_file",
                                   "/structure/title",
                                   "/structure/radius",
                                   "/structure/mass",
                                   "/structure/charge",
                                   "/structure/species",
                                   "/structure/species_names",
                                   "/state/step",
                                   "/state/degrees_of_freedom",
                                   "/state/position",
                                   "/state/velocity",
                                   "/state/force",
                                   "/state/integrator",
                                   "/state/list_positions",
                                   "/state/backend",
                                   "/state/precision",
                                   "/state/method/step",
                                   "/state/method/neighbor",
                                   "/state/method/skin",
                                   "/state/method/cell_share",
                                   "/state/method/list_form",
                                   "/choices/step",
                                   "/choices/neighbor",
                                   "/choices/skin",
                                   "/choices/cell_share",
                                   "/choices/list_form",
                                   "/replay/step",
                                   "/replay/neighbor",
                                   "/replay/skin",
                                   "/replay/cell_share",
                                   "/replay/list_form",
                                   "/outputs/name",
                                   "/outputs/bytes",
                                   "/outputs/crc32"};

TEST_F(ForgedCheckpoint, AnUnchangedOneIsRead) {
  EXPECT_EQ(refusal_of_bytes(Forgery(good()).bytes()), "") << "so what is refused below is so for its change";
  Forgery forgery(good());
  forgery.text("/structure/title", "another");
  folder().write("checkpoint.h5", forgery.bytes());
  EXPECT_EQ(read_checkpoint(path()).title, "another");
}

TEST_F(ForgedCheckpoint, WhatIsMissingIsNamed) {
  for (const char* const name : kArrays) expect_refused(name, [&](Forgery& f) { f.remove(name); });
}

/// A group, a cube, numbers of another type, numbers where there is text, text where there are numbers.
TEST_F(ForgedCheckpoint, WhatHasAnotherShapeIsNamed) {
  for (const char* const name : kArrays) {
    expect_refused(name, [&](Forgery& f) { f.group(name); });
    expect_refused(name, [&](Forgery& f) { f.array(name, H5T_STD_I8LE, {2, 2, 2}); });
    expect_refused(name, [&](Forgery& f) { f.array(name, H5T_IEEE_F32LE, {kAtoms}); });
    expect_refused(name, [&](Forgery& f) { f.array(name, H5T_STD_U16BE, {kAtoms, 3}); });
    const std::string_view word = name;
    const bool is_text =
        word.ends_with("name") || word.ends_with("names") || word.ends_with("title") || word.ends_with("run_file");
    if (!is_text) expect_refused(name, [&](Forgery& f) { f.text(name, "words"); });
  }
}

/// Only the file's own length says that there cannot be so many.
TEST_F(ForgedCheckpoint, MoreThanTheFileHasIsRefusedBeforeMemoryIsAskedFor) {
  for (const hsize_t rows : {hsize_t{100'000}, hsize_t{1} << 40U, hsize_t{1} << 60U}) {
    for (const char* const name : {"/structure/mass", "/structure/radius", "/state/integrator", "/choices/skin"})
      expect_refused(name, [&](Forgery& f) { f.endless(name, H5T_IEEE_F64LE, {rows}); });
    for (const char* const name : {"/state/force", "/state/list_positions"})
      expect_refused(name, [&](Forgery& f) { f.endless(name, H5T_IEEE_F64LE, {rows, 3}); });
    expect_refused("/choices/step", [&](Forgery& f) { f.endless("/choices/step", H5T_STD_I64LE, {rows}); });
  }
}

TEST_F(ForgedCheckpoint, CountsThatDoNotAgreeAreNamed) {
  expect_refused("/structure/charge", [](Forgery& f) { f.numbers("/structure/charge", {1, 2}); });
  expect_refused("/structure/charge", [](Forgery& f) { f.numbers("/structure/mass", {1, 2, 3, 4}); });
  expect_refused("/structure/species", [](Forgery& f) { f.words("/structure/species", {0, 0, 0, 0}); });
  expect_refused("/structure/radius", [](Forgery& f) { f.numbers("/structure/radius", {1, 2}); });
  for (const std::size_t n : {0U, 2U, 4U}) {
    expect_refused("/state/position", [&](Forgery& f) { f.vectors("/state/position", n); });
    expect_refused("/state/velocity", [&](Forgery& f) { f.vectors("/state/velocity", n); });
    if (n == 0) continue;
    expect_refused("/state/force", [&](Forgery& f) { f.vectors("/state/force", n); });
    expect_refused("/state/list_positions", [&](Forgery& f) { f.vectors("/state/list_positions", n); });
  }
  expect_refused("/state/position", [](Forgery& f) { f.array("/state/position", H5T_IEEE_F64LE, {kAtoms, 4}); });
  expect_refused("/state/position", [](Forgery& f) { f.array("/state/position", H5T_IEEE_F64LE, {3 * kAtoms}); });
  expect_refused("/state/step", [](Forgery& f) { f.array("/state/step", H5T_STD_I64LE, {2}); });
  expect_refused("/state/step", [](Forgery& f) { f.array("/state/step", H5T_STD_I64LE, {0}); });
  expect_refused("/state/method/neighbor", [](Forgery& f) { f.words("/state/method/neighbor", {1, 1}); });
  expect_refused("/choices/neighbor", [](Forgery& f) { f.words("/choices/neighbor", {1, 1}); });
  expect_refused("/choices/neighbor", [](Forgery& f) { f.integer("/choices/step", 0); });
  expect_refused("/outputs/bytes", [](Forgery& f) { f.natural("/outputs/bytes", 1); });
  expect_refused("/outputs/crc32", [](Forgery& f) { f.words("/outputs/crc32", {1, 2}); });
  expect_refused("/outputs/bytes", [](Forgery& f) { f.text("/outputs/name", "a\nb\n"); });
}

TEST_F(ForgedCheckpoint, NumbersOutOfRangeAreNamed) {
  const double nan = std::nan("");
  expect_refused("/structure/species", [](Forgery& f) { f.words("/structure/species", {0, 1, 4}); });
  expect_refused("/structure/species", [](Forgery& f) { f.words("/structure/species", {0, 1, 0xFFFFFFFF}); });
  expect_refused("/structure/species", [](Forgery& f) { f.text("/structure/species_names", "one\n"); });
  expect_refused("/state/step", [](Forgery& f) { f.integer("/state/step", -1); });
  expect_refused("/state/step", [](Forgery& f) { f.integer("/state/step", std::numeric_limits<std::int64_t>::min()); });
  expect_refused("/state/degrees_of_freedom",
                 [](Forgery& f) { f.natural("/state/degrees_of_freedom", 3 * kAtoms + 1); });
  expect_refused("/state/degrees_of_freedom",
                 [](Forgery& f) { f.natural("/state/degrees_of_freedom", std::uint64_t{1} << 63U); });
  expect_refused("/state/gpu/number", [](Forgery& f) { f.words("/state/gpu/number", {0, 1, 1}); });
  expect_refused("/state/gpu/number", [](Forgery& f) { f.words("/state/gpu/number", {0, 1, 3}); });
  expect_refused("/state/gpu/number", [](Forgery& f) { f.words("/state/gpu/number", {0}); });
  expect_refused("/state/backend", [](Forgery& f) { f.words("/state/backend", {3}); });
  expect_refused("/state/precision", [](Forgery& f) { f.words("/state/precision", {2}); });
  expect_refused("/state/method/neighbor", [](Forgery& f) { f.words("/state/method/neighbor", {5}); });
  expect_refused("/state/method/list_form", [](Forgery& f) { f.words("/state/method/list_form", {4}); });
  expect_refused("/state/method", [&](Forgery& f) { f.numbers("/state/method/skin", {nan}); });
  expect_refused("/state/method", [&](Forgery& f) { f.numbers("/state/method/cell_share", {-1}); });
  expect_refused("/choices", [&](Forgery& f) { f.numbers("/choices/skin", {0, -0.1, 0}); });
}

TEST_F(ForgedCheckpoint, NumbersOfTheStructureArePossible) {
  const double nan = std::nan(""), inf = std::numeric_limits<double>::infinity();
  for (const double mass : {0.0, -1.0, nan, inf})
    expect_refused("/structure/mass", [&](Forgery& f) { f.numbers("/structure/mass", {1, mass, 1}); });
  expect_refused("/structure/charge", [&](Forgery& f) { f.numbers("/structure/charge", {0, nan, 1}); });
  for (const double radius : {0.0, -1.0, nan, inf})
    expect_refused("/structure/radius", [&](Forgery& f) { f.numbers("/structure/radius", {radius}); });
}

/// What lies elsewhere is not read, and what is short in the file and long in memory is not unpacked.
TEST_F(ForgedCheckpoint, OnlyPlainArraysOfTheFileItselfAreRead) {
  const TempFolder folder;
  const std::string secret = folder.write("secret.txt", "root:secret").string();
  expect_refused("/structure/title", [&](Forgery& f) { f.stored_in(secret, "/structure/title"); });
  expect_refused("/structure/title", [&](Forgery& f) { f.external_link("other.h5", "/structure/title"); });
  expect_refused("/structure/title", [&](Forgery& f) { f.soft_link("/run_file", "/structure/title"); });
  expect_refused("/state/integrator", [&](Forgery& f) { f.packed("/state/integrator"); });
}

/// Where a name has one byte, most is made of few.
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

/// No byte of a large file of something else is read, and none is taken for it.
TEST_F(CheckpointFile, OfAnotherLengthThanItSaysIsRefusedBeforeItIsRead) {
  std::string bytes = bytes_of(bare_checkpoint(1));
  folder().write("checkpoint.h5", bytes);
  fs::resize_file(path(), std::uintmax_t{1} << 40U);  // a hole
  const HeldMemory memory;
  EXPECT_THAT(refusal_of(path()), HasSubstr("the checkpoint is damaged"));
  EXPECT_LT(memory.most(), 100'000U);
}

/// Bytes of the image changed under a right checksum: whatever they then say, it ends in a checkpoint or in an
/// InputError. In a process of its own, so that no crash of it is one of all tests.
TEST_F(ForgedCheckpoint, AnyImageIsReadOrRefused) {
  const auto read_all = [&] {
    const std::string image = good().substr(kBlock);
    int refused = 0, read = 0;
    for (std::size_t at = 0; at < image.size(); ++at) {
      if (image[at] == '\0' && at % 32 != 0) continue;  // most of it is nothing
      std::string changed = image;
      changed[at] = static_cast<char>(at % 2 == 0 ? ~changed[at] : changed[at] ^ 1);
      ++(refusal_of_bytes(Forgery::with_block(changed)).empty() ? read : refused);
    }
    for (const std::size_t length : {1U, 8U, 95U, 96U, 512U, 2000U})
      if (refusal_of_bytes(Forgery::with_block(image.substr(0, length))).empty()) refused = 0;
    ::_exit(refused > 100 && read > 20 ? 0 : 1);  // numbers of the atoms can be any
  };
  EXPECT_EXIT(read_all(), testing::ExitedWithCode(0), "");
}

}  // namespace
}  // namespace dropmd
