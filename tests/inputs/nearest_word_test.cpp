#include "inputs/nearest_word.h"

#include <gtest/gtest.h>

namespace dropmd {
namespace {

const std::vector<std::string_view> kWords = {"epsilon", "sigma", "r-min", "cutoff"};

TEST(NearestWord, OneEdit) {
  EXPECT_EQ(nearest_word("epsilonn", kWords), "epsilon");
  EXPECT_EQ(nearest_word("epsion", kWords), "epsilon");
  EXPECT_EQ(nearest_word("cutofff", kWords), "cutoff");
  EXPECT_EQ(nearest_word("rmin", kWords), "r-min");
}

TEST(NearestWord, SwapOfNeighboursIsOneEdit) { EXPECT_EQ(nearest_word("sgima", kWords), "sigma"); }

TEST(NearestWord, NoneIfTooFar) {
  EXPECT_FALSE(nearest_word("temperature", kWords));
  EXPECT_FALSE(nearest_word("sxxma", kWords));
  EXPECT_FALSE(nearest_word("", kWords));
  EXPECT_FALSE(nearest_word(std::string(100000, 'x'), kWords));
}

TEST(NearestWord, OfShortWordsASwapAlone) {
  EXPECT_FALSE(nearest_word("gpu", {"cpu", "cuda"}));
  const std::vector<std::string_view> commands = {"run", "map", "ions"};
  EXPECT_EQ(nearest_word("rnu", commands), "run");
  EXPECT_EQ(nearest_word("urn", commands), "run");
  EXPECT_EQ(nearest_word("mpa", commands), "map");
  EXPECT_EQ(nearest_word("lj", {"real", "jl"}), "jl");
  EXPECT_FALSE(nearest_word("nur", commands)) << "its ends changed places";
  EXPECT_FALSE(nearest_word("rn", commands));
  EXPECT_FALSE(nearest_word("runs", {"rnus"}) == std::nullopt) << "longer words as ever";
}

TEST(NearestWord, UpperAndLowerCase) {
  EXPECT_EQ(nearest_word("NA", {"Na", "K", "Cl"}), "Na");
  EXPECT_EQ(nearest_word("cutOFF", kWords), "cutoff");
  EXPECT_FALSE(nearest_word("co", {"Co", "CO"})) << "which of the two?";
}

TEST(NearestWord, TheEndOfALongerName) {
  EXPECT_EQ(nearest_word("--seed", {"--random-seed", "--radius"}), "--random-seed");
  EXPECT_EQ(nearest_word("distance", {"min-distance", "skin"}), "min-distance");
  EXPECT_FALSE(nearest_word("distance", {"min-distance", "ion-distance"})) << "which of the two?";
  EXPECT_FALSE(nearest_word("seed", {"seedling", "linseed"}));
  EXPECT_FALSE(nearest_word("----", {"--radius"}));
}

TEST(NearestWord, OnlyCompletion) {
  const std::vector<std::string_view> models = {"spce", "tip3p", "tip4p2005"};
  EXPECT_EQ(only_completion("tip4p", models), "tip4p2005");
  EXPECT_EQ(only_completion("TIP4P", models), "tip4p2005");
  EXPECT_EQ(only_completion("spce", models), "spce");
  EXPECT_FALSE(only_completion("tip", models)) << "which of the two?";
  EXPECT_FALSE(only_completion("tip5p", models));
}

TEST(NearestWord, TheNearerOfTwo) { EXPECT_EQ(nearest_word("shifty", {"shapely", "shift"}), "shift"); }

TEST(NearestWord, Hints) {
  EXPECT_EQ(known_words_hint("cutof", kWords), "(did you mean 'cutoff'?)");
  EXPECT_EQ(known_words_hint("charge", kWords), "(known: epsilon, sigma, r-min, cutoff)");
}

}  // namespace
}  // namespace dropmd
