#include "app/commands/ensemble/variations.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/errors.h"

/// --vary.
namespace dropmd {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

TEST(Variations, ValuesAreDividedAtCommasOutsideBracketsAndQuotes) {
  const Variation vectors = parse_variation("field.strength=[0, 0, 0.1],[0, 0, 0.2]");
  EXPECT_EQ(vectors.key, "field.strength");
  EXPECT_THAT(vectors.values, ElementsAre("[0, 0, 0.1]", "[0, 0, 0.2]"));
  ASSERT_EQ(vectors.settings.size(), 2U);
  EXPECT_EQ(std::get<std::vector<double>>(vectors.settings[1].value), (std::vector<double>{0, 0, 0.2}));
  const Variation words = parse_variation("system.structure=\"a,b.xyz\",c.xyz");
  EXPECT_THAT(words.values, ElementsAre("\"a,b.xyz\"", "c.xyz"));
  EXPECT_EQ(std::get<std::string>(words.settings[0].value), "a,b.xyz");
  EXPECT_EQ(words.settings[1].place.text(), "--vary system.structure=c.xyz");
  EXPECT_THAT(parse_variation("run.steps=10").values, ElementsAre("10"));
  EXPECT_THAT(parse_variation("run.steps= 10, 20").values, ElementsAre("10", "20"));
  EXPECT_THAT(parse_variation(R"(system.structure="a\"b,c.xyz",d.xyz)").values,
              ElementsAre(R"("a\"b,c.xyz")", "d.xyz"));
}

TEST(Variations, MistakesAreNamed) {
  const auto expect = [](const std::string& text, const std::string& because) {
    try {
      parse_variation(text);
      FAIL() << text;
    } catch (const UsageError& error) {
      EXPECT_THAT(error.what(), HasSubstr(because));
    }
  };
  expect("wall.radius", "has no values");
  expect("wall.radius=", "has an empty value");
  expect("wall.radius=1,,2", "has an empty value");
  expect("wall.radius=1,2,1", "has the value 1 twice");
  expect("wall.radius=0.2,0.3,2e-1", "has the value 2e-1 twice");
  expect("=1,2", "is not a setting");
  expect("units=real,lj", "varies the units");
  expect("output.final=a.xyz,b.xyz", "varies an output");
}

TEST(Variations, AllCombinationsTheLastOneFirst) {
  const std::vector<Variation> variations{parse_variation("a.b=1,2"), parse_variation("c.d=1,2,3")};
  EXPECT_THAT(combinations_of(variations), ElementsAre(ElementsAre(0, 0), ElementsAre(0, 1), ElementsAre(0, 2),
                                                       ElementsAre(1, 0), ElementsAre(1, 1), ElementsAre(1, 2)));
  EXPECT_THAT(combinations_of({}), ElementsAre(ElementsAre()));
}

}  // namespace
}  // namespace dropmd
