#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include "tests/outputs/checkpoint_forgery.h"

namespace dropmd {
namespace {

using testing::AllOf;
using testing::HasSubstr;

class ForgedCheckpoint : public CheckpointFile {
 protected:
  static constexpr std::size_t kAtoms = 3;

  void SetUp() override { good_ = bytes_of(full_checkpoint(kAtoms)); }

  /// what: the name that the message must contain.
  template <class Change>
  void expect_refused(const std::string& what, const Change& change) {
    SCOPED_TRACE(what);
    Forgery forgery(good_);
    change(forgery);
    EXPECT_THAT(
        refusal_of_bytes(forgery.bytes()),
        AllOf(testing::StartsWith(path().string() + ": " + what + " is not as in a checkpoint"), HasSubstr(" (")));
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
                                   "/state/next_id",
                                   "/state/force",
                                   "/state/integrator",
                                   "/state/carried/bath",
                                   "/state/carried/removed",
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
                                   "/map/origin",
                                   "/map/spacing",
                                   "/map/points",
                                   "/map/sum",
                                   "/map/frames",
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

/// Checkpoints of versions without maps have none.
TEST_F(ForgedCheckpoint, OneWithoutMapsIsRead) {
  Forgery forgery(good());
  forgery.remove("/map");
  folder().write("checkpoint.h5", forgery.bytes());
  Checkpoint without = full_checkpoint(kAtoms);
  without.map.reset();
  expect_same(read_checkpoint(path()), without);
}

/// Checkpoints of versions in which atoms could not leave have no ids; these are 1 to n.
TEST_F(ForgedCheckpoint, OneWithoutIdsIsRead) {
  Forgery forgery(good());
  forgery.remove("/state/id");
  forgery.remove("/state/next_id");
  folder().write("checkpoint.h5", forgery.bytes());
  Checkpoint without = full_checkpoint(kAtoms);
  without.state.id.clear();
  without.state.next_id = 0;
  expect_same(read_checkpoint(path()), without);
}

TEST_F(ForgedCheckpoint, IdsAreUsedOnce) {
  for (const std::vector<std::uint32_t>& ids : std::initializer_list<std::vector<std::uint32_t>>{
           {0, 1, 2}, {1, 1, 2}, {2, 1, 2}, {1, 2, 16}, {1, 2}, {1, 2, 3, 4}})
    expect_refused("/state/id", [&](Forgery& f) { f.words("/state/id", ids); });
  for (const std::uint32_t next : {0U, 0x80000001U})
    expect_refused("/state/next_id", [&](Forgery& f) { f.words("/state/next_id", {next}); });
  Forgery plain(good());
  plain.words("/state/id", {1, 2, 3});
  plain.words("/state/next_id", {4});
  folder().write("checkpoint.h5", plain.bytes());
  EXPECT_TRUE(read_checkpoint(path()).state.id.empty()) << "as of a run whose atoms are those of its start";
  plain.words("/state/id", {2, 1, 3});
  folder().write("checkpoint.h5", plain.bytes());
  EXPECT_THAT(read_checkpoint(path()).state.id, testing::ElementsAre(2, 1, 3)) << "molecules have become others";
}

/// Checkpoints of runs whose population never changes carry nothing.
TEST_F(ForgedCheckpoint, NothingNeedsToBeCarried) {
  Forgery forgery(good());
  forgery.remove("/state/carried");
  folder().write("checkpoint.h5", forgery.bytes());
  Checkpoint without = full_checkpoint(kAtoms);
  without.state.carried = {};
  expect_same(read_checkpoint(path()), without);
}

/// A run whose population changes and that has no mesh, and the reverse.
TEST_F(ForgedCheckpoint, OnlyCausesOfTheRunAreCarried) {
  const auto with = [](const std::vector<Cause>& causes) {
    Checkpoint checkpoint = full_checkpoint(kAtoms);
    Ledger& carried = checkpoint.state.carried;
    carried.causes = {};
    for (const Cause cause : causes) carried.causes.insert(cause);
    for (std::size_t k = kAtomCauses; k < kCauses; ++k)
      if (!carried.causes.has(static_cast<Cause>(k))) carried.booked[k] = 0;
    return checkpoint;
  };
  const auto expect_read = [&](const std::string& bytes, const Checkpoint& expected, const char* what) {
    SCOPED_TRACE(what);
    folder().write("checkpoint.h5", bytes);
    expect_same(read_checkpoint(path()), expected);
  };
  const Checkpoint of_population = with({Cause::removed, Cause::added}), of_mesh = with({Cause::mesh});
  expect_read(bytes_of(of_population), of_population, "written for a population");
  expect_read(bytes_of(of_mesh), of_mesh, "written for a mesh");
  Forgery before_meshes(good());
  before_meshes.remove("/state/carried/mesh");
  expect_read(before_meshes.bytes(), of_population, "of an older version");
}

/// Runs without a mesh, and older versions, write none.
TEST_F(ForgedCheckpoint, OneWithoutAMeshIsRead) {
  Forgery forgery(good());
  forgery.remove("/state/terms");
  forgery.remove("/coulomb_mesh");
  folder().write("checkpoint.h5", forgery.bytes());
  Checkpoint without = full_checkpoint(kAtoms);
  without.state.term_states.clear();
  without.coulomb_mesh.clear();
  expect_same(read_checkpoint(path()), without);
}

TEST_F(ForgedCheckpoint, StatesOfTermsAreFiniteAndAsLongAsTheySay) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  expect_refused("/coulomb_mesh", [&](Forgery& f) { f.numbers("/coulomb_mesh", {9, nan, 2, 6}); });
  expect_refused("/state/terms/numbers", [&](Forgery& f) { f.numbers("/state/terms/numbers", {1, nan, 2, 3}); });
  expect_refused("/state/terms/length", [&](Forgery& f) { f.numbers("/state/terms/numbers", {1, 2, 3}); });
  expect_refused("/state/terms/length", [&](Forgery& f) { f.numbers("/state/terms/numbers", {1, 2, 3, 4, 5}); });
}

/// Checkpoints of runs without actions have none, and neither do those of older versions.
TEST_F(ForgedCheckpoint, OneWithoutPopulationActionsIsRead) {
  Forgery forgery(good());
  forgery.remove("/population_actions");
  folder().write("checkpoint.h5", forgery.bytes());
  Checkpoint without = full_checkpoint(kAtoms);
  without.population_actions.reset();
  expect_same(read_checkpoint(path()), without);
}

TEST_F(ForgedCheckpoint, PopulationActionsAreStillToComeAndInOrder) {
  const std::int64_t now = full_checkpoint(kAtoms).state.step;
  for (const std::vector<std::int64_t>& steps :
       std::initializer_list<std::vector<std::int64_t>>{{now - 1, now}, {now + 1, now}, {-1}})
    expect_refused("/population_actions",
                   [&](Forgery& f) { f.array("/population_actions", H5T_STD_I64LE, {steps.size()}, steps.data()); });
  expect_refused("/population_actions", [](Forgery& f) { f.numbers("/population_actions", {1, 2}); });
}

/// Checkpoints of versions without a ledger have none.
TEST_F(ForgedCheckpoint, OneWithoutALedgerIsRead) {
  Forgery forgery(good());
  forgery.remove("/state/booked");
  folder().write("checkpoint.h5", forgery.bytes());
  Checkpoint without = full_checkpoint(kAtoms);
  without.state.booked = {};
  expect_same(read_checkpoint(path()), without);
}

/// A group, a cube, numbers of another type, numbers in place of text, text in place of numbers.
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

/// Only the length of the file shows that there cannot be so many.
TEST_F(ForgedCheckpoint, MoreThanTheFileHasIsRefusedBeforeMemoryIsAskedFor) {
  for (const hsize_t rows : {hsize_t{100'000}, hsize_t{1} << 40U, hsize_t{1} << 60U}) {
    for (const char* const name :
         {"/structure/mass", "/structure/radius", "/state/integrator", "/choices/skin", "/map/sum"})
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
    expect_refused("/state/booked/bath",
                   [&](Forgery& f) { f.numbers("/state/booked/bath", std::vector<double>(n, 1.0)); });
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
  expect_refused("/droplet_members", [](Forgery& f) { f.words("/droplet_members", {2, 1}); });
  expect_refused("/map/sum", [](Forgery& f) { f.numbers("/map/sum", {1, 2, 3, 4, 5}); });
  expect_refused("/map/sum", [](Forgery& f) { f.words("/map/points", {3, 1, 3}); });
  expect_refused("/map/points", [](Forgery& f) { f.words("/map/points", {3, 2}); });
  expect_refused("/map/origin", [](Forgery& f) { f.vectors("/map/origin", 2); });
  expect_refused("/map/frames", [](Forgery& f) { f.numbers("/map/sum", {}); });
  expect_refused("/map/frames", [](Forgery& f) { f.natural("/map/frames", 0); });
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
  expect_refused("/state/booked/recentring", [&](Forgery& f) { f.numbers("/state/booked/recentring", {1, nan, 2}); });
  for (const std::string cause : {"/state/carried/removed", "/state/carried/mesh"})
    expect_refused(cause, [&](Forgery& f) { f.numbers(cause, {nan}); });
  expect_refused("/state/method", [&](Forgery& f) { f.numbers("/state/method/skin", {nan}); });
  expect_refused("/state/method", [&](Forgery& f) { f.numbers("/state/method/cell_share", {-1}); });
  expect_refused("/choices", [&](Forgery& f) { f.numbers("/choices/skin", {0, -0.1, 0}); });
}

TEST_F(ForgedCheckpoint, NumbersOfTheMapArePossible) {
  const double nan = std::nan(""), inf = std::numeric_limits<double>::infinity();
  const auto three = [](Forgery& f, const std::string& name, std::vector<double> values) {
    f.array(name, H5T_IEEE_F64LE, {1, 3}, values.data());
  };
  for (const double number : {nan, inf})
    expect_refused("/map/origin", [&](Forgery& f) { three(f, "/map/origin", {0, number, 0}); });
  for (const double number : {nan, inf, 0.0, -1.0})
    expect_refused("/map/spacing", [&](Forgery& f) { three(f, "/map/spacing", {1, 1, number}); });
  for (const double number : {nan, -inf})
    expect_refused("/map/sum", [&](Forgery& f) { f.numbers("/map/sum", {0, 0, 0, number, 0, 0}); });
  constexpr std::uint32_t kMost = 0x7FFFFFFF;
  for (const std::uint32_t count : {std::uint32_t{0}, kMost + 1, ~std::uint32_t{0}})
    expect_refused("/map/points", [&](Forgery& f) { f.words("/map/points", {3, count, 2}); });
  expect_refused("/map/points", [](Forgery& f) { f.words("/map/points", {kMost, kMost, kMost}); });
  // The product of these counts overflows 64 bits.
  expect_refused("/map/points", [](Forgery& f) { f.words("/map/points", {1U << 30U, 1U << 30U, 1U << 4U}); });
  expect_refused("/map/sum", [](Forgery& f) { f.words("/map/points", {1U << 20U, 1U << 20U, 1U << 20U}); });
  expect_refused("/map/frames", [](Forgery& f) { f.integer("/state/step", 41), f.natural("/map/frames", 43); });
  expect_refused("/map/frames", [](Forgery& f) { f.natural("/map/frames", ~std::uint64_t{0}); });
}

TEST_F(ForgedCheckpoint, PositionsAndVelocitiesAreFinite) {
  for (const char* const name : {"/state/position", "/state/velocity"})
    for (const double number : {std::nan(""), std::numeric_limits<double>::infinity()})
      expect_refused(name, [&](Forgery& f) {
        const std::vector<double> values{0, 0, 0, 0, number, 0, 0, 0, 0};
        f.array(name, H5T_IEEE_F64LE, {kAtoms, 3}, values.data());
      });
}

TEST_F(ForgedCheckpoint, NumbersOfTheStructureArePossible) {
  const double nan = std::nan(""), inf = std::numeric_limits<double>::infinity();
  for (const double mass : {0.0, -1.0, nan, inf})
    expect_refused("/structure/mass", [&](Forgery& f) { f.numbers("/structure/mass", {1, mass, 1}); });
  expect_refused("/structure/charge", [&](Forgery& f) { f.numbers("/structure/charge", {0, nan, 1}); });
  for (const double radius : {0.0, -1.0, nan, inf})
    expect_refused("/structure/radius", [&](Forgery& f) { f.numbers("/structure/radius", {radius}); });
}

/// Data stored elsewhere is not read, and data that is short in the file but long in memory is not unpacked.
TEST_F(ForgedCheckpoint, OnlyPlainArraysOfTheFileItselfAreRead) {
  const TempFolder folder;
  const std::string secret = folder.write("secret.txt", "root:secret").string();
  expect_refused("/structure/title", [&](Forgery& f) { f.stored_in(secret, "/structure/title"); });
  expect_refused("/structure/title", [&](Forgery& f) { f.external_link("other.h5", "/structure/title"); });
  expect_refused("/structure/title", [&](Forgery& f) { f.soft_link("/run_file", "/structure/title"); });
  expect_refused("/state/integrator", [&](Forgery& f) { f.packed("/state/integrator"); });
}

/// Changes bytes of the image and sets the right checksum. The result must be a checkpoint or an InputError. The test
/// runs in a process of its own, so that a crash does not end all tests.
TEST_F(ForgedCheckpoint, AnyImageIsReadOrRefused) {
  const auto read_all = [&] {
    const std::string image = good().substr(kCheckpointBlock);
    int refused = 0, read = 0;
    for (std::size_t at = 0; at < image.size(); ++at) {
      if (image[at] == '\0' && at % 32 != 0) continue;  // most of the image is empty
      std::string changed = image;
      changed[at] = static_cast<char>(at % 2 == 0 ? ~changed[at] : changed[at] ^ 1);
      ++(refusal_of_bytes(Forgery::with_block(changed)).empty() ? read : refused);
    }
    for (const std::size_t length : {1U, 8U, 95U, 96U, 512U, 2000U})
      if (refusal_of_bytes(Forgery::with_block(image.substr(0, length))).empty()) refused = 0;
    ::_exit(refused > 100 && read > 20 ? 0 : 1);  // any numbers are valid for the atoms
  };
  EXPECT_EXIT(read_all(), testing::ExitedWithCode(0), "");
}

}  // namespace
}  // namespace dropmd
