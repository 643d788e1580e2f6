#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <optional>
#include <string>

#include "tests/outputs/file_size_limit.h"
#include "tests/outputs/output_files.h"
#include "tests/outputs/trajectories/frames.h"
#include "tests/support/system/temp_folder.h"

/// What all trajectory formats have in common: they continue, refuse what was changed, and survive full disks.
namespace dropmd {
namespace {

using testing::HasSubstr;
namespace fs = std::filesystem;

constexpr std::size_t kAtoms = 30;
constexpr std::int64_t kSteps[] = {0, 10, 20, 30, 40, 50};

class EveryFormat : public testing::TestWithParam<std::string> {
 protected:
  fs::path file(const std::string& stem) const { return folder_.path() / (stem + GetParam()); }
  bool is_arranged_by_a_library() const { return GetParam() == ".gsd"; }

  /// Writes the frames up to and including a step to a new file (none for a negative step); returns its mark.
  FileMark write_to(const std::string& stem, std::int64_t last, bool and_others = false) const {
    const Particles start = some_atoms(kAtoms, 8);
    const auto writer = open_trajectory({.path = file(stem)}, start);
    for (const std::int64_t step : kSteps)
      if (step <= last) append_step(*writer, step, atoms_of_step(kAtoms, step));
    const FileMark mark = writer->flushed_mark();
    if (!and_others) writer->close();
    if (!and_others) return mark;
    for (const std::int64_t step : {70, 80}) append_step(*writer, step, some_atoms(kAtoms, 8, 99));
    return mark;
  }

  /// Continues behind the frames up to and including a step; returns the last mark.
  FileMark continue_from(const std::string& stem, std::int64_t last, const FileMark& mark) const {
    const Particles then = last < 0 ? some_atoms(kAtoms, 8) : atoms_of_step(kAtoms, last);
    const auto writer = open_trajectory({.path = file(stem), .after = mark}, then);
    for (const std::int64_t step : kSteps)
      if (step > last) append_step(*writer, step, atoms_of_step(kAtoms, step));
    writer->close();
    return writer->flushed_mark();
  }

  TempFolder folder_;
};

INSTANTIATE_TEST_SUITE_P(Formats, EveryFormat, testing::ValuesIn([] {
                           std::vector<std::string> names;
                           for (const std::string_view name : trajectory_extensions()) names.emplace_back(name);
                           return names;
                         }()),
                         [](const auto& format) { return format.param.substr(1); });

TEST_P(EveryFormat, AFileIsContinuedToTheSameBytes) {
  const FileMark whole = write_to("whole", 50);
  for (const std::int64_t last : {-10, 0, 10, 20, 30, 40, 50}) {
    SCOPED_TRACE(last);
    EXPECT_EQ(continue_from("stopped", last, write_to("stopped", last)), whole);
    EXPECT_TRUE(read_text(file("stopped")) == read_text(file("whole")));
    fs::remove(file("stopped"));
  }
}

/// A GSD file may then have other bytes, but has the same frames, which its mark counts.
TEST_P(EveryFormat, FramesBehindTheMarkAreCutOff) {
  const FileMark whole = write_to("whole", 50);
  for (const std::int64_t last : {-10, 0, 20, 30, 50}) {
    SCOPED_TRACE(last);
    const FileMark mark = write_to("killed", last, /*and_others=*/true);
    EXPECT_EQ(output_error_of([&] { trajectory_format(file("a")).require_mark(file("killed"), mark); }), "");
    EXPECT_EQ(continue_from("killed", last, mark), whole);
    EXPECT_TRUE(is_arranged_by_a_library() || read_text(file("killed")) == read_text(file("whole")));
    EXPECT_EQ(output_error_of([&] { trajectory_format(file("a")).require_mark(file("killed"), whole); }), "");
    fs::remove(file("killed"));
  }
  EXPECT_EQ(count_entries(folder_.path()), 1U) << "nothing else is left";
}

TEST_P(EveryFormat, AFileThatWasChangedIsNotContinued) {
  const FileMark mark = write_to("a", 30);
  const std::string whole = read_text(file("a"));
  const auto expect_refused = [&](const std::string& bytes, const char* what) {
    folder_.write("a" + GetParam(), bytes);
    SCOPED_TRACE(what);
    const auto check = [&] { trajectory_format(file("a")).require_mark(file("a"), mark); };
    EXPECT_THAT(output_error_of(check), HasSubstr("a" + GetParam()));
    EXPECT_NE(output_error_of([&] { continue_from("a", 30, mark); }), "");
    EXPECT_TRUE(read_text(file("a")) == bytes) << "it was touched";
  };
  std::string changed = whole;
  changed[changed.size() - 6] ^= 1;
  expect_refused(changed, "a bit");
  expect_refused(whole.substr(0, whole.size() / 2), "half of it");
  expect_refused("", "empty");
  expect_refused(std::string(1000, 'x'), "another file");
  fs::remove(file("a"));
  EXPECT_THAT(output_error_of([&] { continue_from("a", 30, mark); }), HasSubstr("a" + GetParam()));
}

TEST_P(EveryFormat, AnExistingFileIsReplacedOnlyOnRequest) {
  const fs::path path = folder_.write("a" + GetParam(), "precious");
  const Particles atoms = some_atoms(3, 5);
  EXPECT_THAT(output_error_of([&] { open_trajectory({.path = path}, atoms); }), HasSubstr("exists (use --force"));
  EXPECT_EQ(read_text(path), "precious");
  open_trajectory({.path = path, .overwrite = true}, atoms)->close();
  EXPECT_EQ(read_text(path).find("precious"), std::string::npos);
}

TEST_P(EveryFormat, OneAtomIsEnough) {
  const Particles one = some_atoms(1, 5);
  const auto writer = open_trajectory({.path = file("one")}, one);
  append_step(*writer, 0, one);
  const FileMark mark = writer->flushed_mark();
  writer->close();
  EXPECT_EQ(writer->flushed_mark(), mark) << "also of a file that is closed";
  open_trajectory({.path = file("one"), .after = mark}, one)->close();
}

/// The disk becomes full within any frame, and where GSD extends its index, after some 20 frames. The whole frames that
/// were appended are left, and the file is continued behind them.
TEST_P(EveryFormat, AFullDiskLeavesWholeFrames) {
  const Particles atoms = some_atoms(200, 8);
  constexpr std::size_t kFrames = 30;
  std::vector<std::uintmax_t> length;
  std::vector<FileMark> mark;
  const auto append = [&](TrajectoryWriter& writer, std::size_t k) {
    append_step(writer, 10 * static_cast<std::int64_t>(k), atoms);
  };
  const auto all = open_trajectory({.path = file("whole")}, atoms);
  for (std::size_t k = 0; k < kFrames; ++k) {
    append(*all, k);
    length.push_back(fs::file_size(file("whole")));
    mark.push_back(all->flushed_mark());
  }
  all->close();
  int full = 0;
  for (std::size_t k = kFrames / 2; k < kFrames; ++k) {
    const auto growth = static_cast<double>(length[k] - length[k - 1]);
    if (k % 10 != 7 && growth < 1.3 * static_cast<double>(length[3] - length[2])) continue;
    for (const double share : {0.02, 0.5, 0.98}) {
      const auto limit = length[k - 1] + static_cast<std::uintmax_t>(share * growth);
      if (limit < 20'000) continue;  // a frame of XTC is made in memory, to which the limit applies as well
      SCOPED_TRACE(std::to_string(k) + " frames, " + std::to_string(limit) + " bytes");
      std::size_t n_written = 0;
      {
        const auto writer = open_trajectory({.path = file("full"), .overwrite = true}, atoms);
        const FileSizeLimit limited(limit);
        const std::string error = output_error_of([&] {
          for (; n_written < kFrames; ++n_written) append(*writer, n_written);
        });
        EXPECT_THAT(error, HasSubstr("full" + GetParam() + ": cannot write"));
      }
      ASSERT_EQ(n_written, k);
      EXPECT_EQ(fs::file_size(file("full")), length[k - 1]);
      EXPECT_EQ(output_error_of([&] { trajectory_format(file("a")).require_mark(file("full"), mark[k - 1]); }), "");
      const auto writer = open_trajectory({.path = file("full"), .after = mark[k - 1]}, atoms);
      for (std::size_t next = k; next < kFrames; ++next) append(*writer, next);
      writer->close();
      EXPECT_TRUE(read_text(file("full")) == read_text(file("whole")));
      if (HasFailure()) return;
      ++full;
    }
  }
  EXPECT_GE(full, is_arranged_by_a_library() ? 9 : 3);
}

/// The estimate of --dry-run is not far from the truth.
TEST_P(EveryFormat, FramesHaveAboutTheEstimatedBytes) {
  for (const std::size_t n : {1U, 100U, 10'000U}) {
    const Particles atoms = some_atoms(n, 20);
    fs::remove(file("a"));
    const auto writer = open_trajectory({.path = file("a")}, atoms);
    append_step(*writer, 0, atoms);
    writer->close();
    const auto bytes = static_cast<double>(fs::file_size(file("a")));
    const auto estimate = static_cast<double>(trajectory_format(file("a")).frame_bytes(n));
    EXPECT_LT(estimate, 2 * bytes + 10) << n;
    EXPECT_GT(estimate, n < 1000 ? 0 : 0.5 * bytes) << n;
  }
}

}  // namespace
}  // namespace dropmd
