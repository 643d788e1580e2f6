#include "inputs/structures/droplet_file.h"

#include <fmt/core.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cmath>

#include "core/errors.h"
#include "tests/inputs/structure_format.h"

namespace dropmd {
namespace {

TEST(DropletFile, TwoAtoms) {
  const Structure structure = kDroplet.read("a droplet, \xC3\xA9\n2\n12.5\n1 -2.5 3e-1 0.2\n\t+4 5 6\t-0.2 \n");
  EXPECT_EQ(structure.title, "a droplet, \xC3\xA9");
  EXPECT_EQ(structure.radius, 12.5);
  EXPECT_EQ(structure.position, (std::vector<Vec3<double>>{{1, -2.5, 0.3}, {4, 5, 6}}));
  EXPECT_EQ(structure.charge, (std::vector<double>{0.2, -0.2}));
  EXPECT_EQ(structure.species, (std::vector<std::uint32_t>{0, 0}));
  EXPECT_EQ(structure.species_names, std::vector<std::string>{"X"});
  EXPECT_TRUE(structure.velocity.empty());
  EXPECT_TRUE(structure.mass.empty());
  EXPECT_FALSE(structure.time);
}

TEST(DropletFile, WindowsLineEnds) {
  const Structure structure = kDroplet.read("title\r\n1\r\n10\r\n1 2 3 4\r\n\r\n");
  EXPECT_EQ(structure.title, "title");
  EXPECT_EQ(structure.position.front(), (Vec3<double>{1, 2, 3}));
  EXPECT_EQ(structure.charge.front(), 4);
}

TEST(DropletFile, ShortestFile) {
  const Structure structure = kDroplet.read("\n1\n1\n0 0 0 0");
  EXPECT_EQ(structure.title, "");
  EXPECT_EQ(structure.position.size(), 1U);
}

TEST(DropletFile, BlankLinesAtTheEnd) { EXPECT_EQ(kDroplet.read("t\n1\n1\n0 0 0 0\n\n  \n\t\n").position.size(), 1U); }

TEST(DropletFile, TwoAtomsAtOnePlaceAreNoErrorOfTheFile) {
  EXPECT_EQ(kDroplet.read("t\n2\n1\n0 0 0 0\n0 0 0 0\n").position.size(), 2U);
}

RC_GTEST_PROP(DropletFileProperty, ShortestDecimalsComeBackBitForBit, ()) {
  const auto numbers =
      *rc::gen::nonEmpty(rc::gen::container<std::vector<std::int64_t>>(rc::gen::arbitrary<std::int64_t>()));
  const int exponent = *rc::gen::inRange(-300, 280);
  std::vector<double> values;
  values.reserve(numbers.size());
  for (const std::int64_t number : numbers) values.push_back(std::ldexp(static_cast<double>(number), exponent));
  std::string text = fmt::format("title\n{}\n1.5\n", values.size());
  for (const double value : values) text += fmt::format("{} {} 0 {}\n", value, -value, value);
  const Structure structure = kDroplet.read(text);
  RC_ASSERT(structure.charge == values);
  for (std::size_t i = 0; i < values.size(); ++i) RC_ASSERT(structure.position[i].y == -values[i]);
}

/// Bytes that have a chance of passing as a header.
rc::Gen<std::string> nearly_droplets() {
  return rc::gen::apply(
      [](const std::string& head, const std::string& tail) { return head + tail; },
      rc::gen::element<std::string>("", "t\n", "t\n1\n", "t\n2\n1.5\n", "t\n1\n1.5\n0 0 0 0\n"),
      rc::gen::oneOf(rc::gen::container<std::string>(rc::gen::arbitrary<char>()),
                     rc::gen::container<std::string>(rc::gen::elementOf(std::string("0123456789+-.e \t\r\nnaif")))));
}

RC_GTEST_PROP(DropletFileProperty, AnyBytesAreReadOrRefused, ()) {
  const std::string text = *nearly_droplets();
  try {
    const Structure structure = kDroplet.read(text);
    RC_ASSERT(structure.position.size() == structure.charge.size());
    RC_ASSERT(!structure.position.empty());
  } catch (const InputError& error) {
    RC_ASSERT(!std::string(error.what()).empty());
  }
}

}  // namespace
}  // namespace dropmd
