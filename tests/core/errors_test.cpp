#include "core/errors.h"

#include <gtest/gtest.h>

/// The positions that messages name.
namespace dropmd {
namespace {

std::string message(const SourcePlace& place) { return InputError(place, "it is wrong").what(); }

TEST(InputError, BeginsWithAsMuchOfItsPlaceAsIsKnown) {
  EXPECT_EQ(message({"a.toml", 3, 7}), "a.toml:3:7: it is wrong");
  EXPECT_EQ(message({"a.toml", 3}), "a.toml:3: it is wrong");
  EXPECT_EQ(message({"a.toml"}), "a.toml: it is wrong");
}

/// A setting that was made in code has no file.
TEST(InputError, WithoutAFileItIsTheMessageAlone) { EXPECT_EQ(message({}), "it is wrong"); }

}  // namespace
}  // namespace dropmd
