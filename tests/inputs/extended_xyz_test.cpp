#include "inputs/structures/extended_xyz.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "core/errors.h"
#include "inputs/structures/structure.h"
#include "tests/inputs/structure_format.h"
#include "tests/support/system/temp_folder.h"

namespace dropmd {
namespace {

using testing::ElementsAre, testing::HasSubstr;

TEST(ExtendedXyz, PlainXyz) {
  const Structure structure = kXyz.read("3\nit's a \"test\nNa 0 0 1\nCl 2 0 0\nNa 0 3 0\n");
  EXPECT_EQ(structure.title, "it's a \"test");
  EXPECT_EQ(structure.position, (Vectors{{0, 0, 1}, {2, 0, 0}, {0, 3, 0}}));
  EXPECT_EQ(structure.species_names, (std::vector<std::string>{"Na", "Cl"}));
  EXPECT_EQ(structure.species, (std::vector<std::uint32_t>{0, 1, 0}));
  EXPECT_TRUE(structure.charge.empty());
  EXPECT_TRUE(structure.velocity.empty());
}

TEST(ExtendedXyz, AllColumns) {
  const Structure structure = kXyz.read(
      "1\nProperties=species:S:1:pos:R:3:velocity:R:3:charge:R:1:mass:R:1 pbc=\"F F F\" Time=2.5 step=7 units=real "
      "radius=12\nNa 1 2 3 4 5 6 -1 22.99\n");
  EXPECT_EQ(structure.position, (Vectors{{1, 2, 3}}));
  EXPECT_EQ(structure.velocity, (Vectors{{4, 5, 6}}));
  EXPECT_EQ(structure.charge, std::vector<double>{-1});
  EXPECT_EQ(structure.mass, std::vector<double>{22.99});
  EXPECT_EQ(structure.time, 2.5);
  EXPECT_EQ(structure.radius, 12);
  EXPECT_EQ(structure.title, "");
  EXPECT_EQ(structure.units, UnitSystem::real);
  EXPECT_EQ(structure.units_place.line, 2U);
  EXPECT_EQ(structure.place_of_atom(0).line, 3U);
  EXPECT_TRUE(structure.warnings.empty());
}

TEST(ExtendedXyz, AliasesInAnyOrderAndSkippedColumns) {
  const Structure structure = kXyz.read(
      "1\nProperties=id:I:1:q:R:1:pos:R:3:forces:R:3:fixed:L:1:masses:R:1:velo:R:3\n9 0.5 1 2 3 x y z T 7 4 5 6\n");
  EXPECT_EQ(structure.position, (Vectors{{1, 2, 3}}));
  EXPECT_EQ(structure.velocity, (Vectors{{4, 5, 6}}));
  EXPECT_EQ(structure.charge, std::vector<double>{0.5});
  EXPECT_EQ(structure.mass, std::vector<double>{7});
  EXPECT_EQ(structure.species_names, std::vector<std::string>{"X"});
}

TEST(ExtendedXyz, TitlesAndQuotes) {
  const Structure structure =
      kXyz.read("1\nnote Properties=species:S:1:pos:R:3 title=\"a \\\"b\\\" = c\" other='x y' m=[1 2]\nAr 0 0 0\n");
  EXPECT_EQ(structure.title, "a \"b\" = c");
}

TEST(ExtendedXyz, LatticeOfAnOpenBoxIsIgnored) {
  EXPECT_EQ(kXyz.read("1\nLattice=\"9 0 0 0 9 0 0 0 9\" pbc=\"F F F\"\nAr 1 2 3\n").position, (Vectors{{1, 2, 3}}));
}

TEST(ExtendedXyz, LastFrameCounts) {
  const Structure structure = kXyz.read("1\nTime=0\nAr 0 0 0\n2\nTime=1\nAr 1 1 1\nKr 2 2 2\n\n");
  EXPECT_EQ(structure.time, 1);
  EXPECT_EQ(structure.position.size(), 2U);
}

/// The names under which other programs write velocities, charges and masses.
TEST(ExtendedXyz, NamesOfOtherPrograms) {
  for (const char* const name : {"velo", "vel", "velocity", "velocities"})
    EXPECT_EQ(kXyz.read(std::string("1\nProperties=pos:R:3:") + name + ":R:3\n0 0 0 4 5 6\n").velocity,
              (Vectors{{4, 5, 6}}))
        << name;
  EXPECT_EQ(kXyz.read("1\nProperties=pos:R:3:momenta:R:3\n0 0 0 4 5 6\n").momentum, (Vectors{{4, 5, 6}}));
  for (const char* const name : {"charge", "charges", "Charge", "initial_charges", "q"})
    EXPECT_EQ(kXyz.read(std::string("1\nProperties=pos:R:3:") + name + ":R:1\n0 0 0 -0.5\n").charge,
              std::vector<double>{-0.5})
        << name;
  for (const char* const name : {"mass", "masses", "Mass"})
    EXPECT_EQ(kXyz.read(std::string("1\nProperties=pos:R:3:") + name + ":R:1\n0 0 0 20\n").mass,
              std::vector<double>{20})
        << name;
}

/// ASE writes eight decimals of what dropmd wrote with seventeen digits.
TEST(ExtendedXyz, ColumnsThatMeanTheSameMayDifferByRounding) {
  const Structure structure = kXyz.read(
      "1\nProperties=pos:R:3:charge:R:1:initial_charges:R:1:mass:R:1:masses:R:1\n"
      "0 0 0 0.123456789 0.12345679 22.98976928 22.98976928\n");
  EXPECT_EQ(structure.charge, std::vector<double>{0.123456789}) << "the first counts";
  EXPECT_EQ(structure.mass, std::vector<double>{22.98976928});
}

TEST(ExtendedXyz, SkippedColumnsAreNamedInAWarning) {
  const auto warnings = [](const std::string& columns, const std::string& values) {
    const TempFolder folder;
    const auto path = folder.write("a.xyz", "1\nProperties=pos:R:3" + columns + "\n0 0 0" + values + "\n");
    std::vector<std::string> lines = read_extended_xyz(path).warnings;
    for (std::string& line : lines) line = line.substr(path.string().size());
    return lines;
  };
  EXPECT_EQ(warnings("", ""), std::vector<std::string>{});
  EXPECT_EQ(warnings(":id:I:1", " 7"), std::vector<std::string>{}) << "dropmd's own trajectories have it";
  EXPECT_EQ(warnings(":velocty:R:3", " 1 2 3"),
            std::vector<std::string>{":2:20: the column is skipped: 'velocty' (did you mean 'velocity'?) (only "
                                     "species, positions, velocities or momenta, charges and masses are read)"});
  EXPECT_EQ(warnings(":forces:R:3:tags:I:1", " 1 2 3 4"),
            std::vector<std::string>{":2:20: columns are skipped: 'forces', 'tags' (only species, positions, "
                                     "velocities or momenta, charges and masses are read)"});
}

/// Next to Properties, units must be known ones; a title may say anything.
TEST(ExtendedXyz, UnitsOfTheComment) {
  EXPECT_EQ(kXyz.read("1\nunits=lj\nAr 0 0 0\n").units, UnitSystem::lj);
  EXPECT_EQ(kXyz.read("1\nProperties=pos:R:3 units=real\n0 0 0\n").units, UnitSystem::real);
  EXPECT_EQ(kXyz.read("1\nmelt, units=metal\nAr 0 0 0\n").units, std::nullopt);
  EXPECT_EQ(kXyz.read("1\n\nAr 0 0 0\n").units, std::nullopt);
}

/// A write of the second frame may be cut off after any byte: the first frame is then read, and the second only when
/// complete.
TEST(ExtendedXyz, InterruptedWriteIsPassedOver) {
  const std::string first = "1\nTime=0\nAr 0 0 0\n";
  const std::string second = "2\nTime=1\nAr 1 1 1\nAr 2.25 2.25 2.25\n";
  for (std::size_t n = 0; n < second.size(); ++n)
    EXPECT_EQ(kXyz.read(first + second.substr(0, n)).time, 0) << n << " bytes of the second frame";
  EXPECT_EQ(kXyz.read(first + second).time, 1);
  EXPECT_TRUE(kXyz.read(first + second).warnings.empty());
  const Structure structure = kXyz.read(first + second.substr(0, second.size() - 1));
  EXPECT_THAT(structure.warnings, ElementsAre(HasSubstr(":4:1: this frame is cut off: the one before it is read")));
}

RC_GTEST_PROP(ExtendedXyzProperty, AnyBytesAreReadOrRefused, ()) {
  const auto head =
      *rc::gen::element<std::string>("", "1\n", "1\n\n", "1\nProperties=", "1\nLattice=", "1\n\nAr 0 0 0\n");
  const auto tail = *rc::gen::oneOf(
      rc::gen::container<std::string>(rc::gen::arbitrary<char>()),
      rc::gen::container<std::string>(rc::gen::elementOf(std::string("0123456789:RISL=\"'\\[]{} \t\r\nnaifpos"))));
  try {
    const Structure structure = kXyz.read(head + tail);
    RC_ASSERT(structure.position.size() == structure.species.size());
    RC_ASSERT(!structure.position.empty());
  } catch (const InputError& error) {
    RC_ASSERT(!std::string(error.what()).empty());
  }
}

}  // namespace
}  // namespace dropmd
