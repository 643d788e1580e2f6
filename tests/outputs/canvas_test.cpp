#include "outputs/canvas.h"

#include <gtest/gtest.h>

#include <set>

#include "outputs/bitmap_font.h"

namespace dropmd {
namespace {

constexpr Color kWhite{255, 255, 255}, kBlack{};

int count_of(const Canvas& canvas, Color color) {
  int n = 0;
  for (int y = 0; y < canvas.height(); ++y)
    for (int x = 0; x < canvas.width(); ++x) n += canvas.at(x, y) == color ? 1 : 0;
  return n;
}

TEST(BitmapFont, PrintableCharactersHaveGlyphsOfTheirOwn) {
  std::set<Glyph> glyphs;
  for (char c = ' '; c <= '~'; ++c) {
    for (const std::uint8_t row : glyph_of(c)) EXPECT_LT(row, 1U << kGlyphWidth) << c;
    glyphs.insert(glyph_of(c));
  }
  EXPECT_EQ(glyphs.size(), 95U);
  EXPECT_EQ(glyph_of(' '), Glyph{});
  for (const char c : {'\n', '\x7f', '\xc3'}) EXPECT_EQ(glyph_of(c), glyph_of('?'));
}

TEST(BitmapFont, LetterOnPaper) {
  Canvas canvas(10, 18, kWhite);
  canvas.text(0, 0, "L", kBlack);
  EXPECT_EQ(count_of(canvas, kBlack), 4 * (7 + 4));
  EXPECT_EQ(canvas.at(0, 0), kBlack);
  EXPECT_EQ(canvas.at(9, 13), kBlack);
  EXPECT_EQ(canvas.at(9, 0), kWhite);
  EXPECT_EQ(canvas.at(0, 14), kWhite) << "the base line";
}

TEST(Canvas, UpwardTextIsTurnedToTheLeft) {
  Canvas canvas(18, 10, kWhite);
  canvas.text(0, 10, "L", kBlack, true);
  EXPECT_EQ(count_of(canvas, kBlack), 4 * (7 + 4));
  EXPECT_EQ(canvas.at(0, 9), kBlack) << "its top is on the left";
  EXPECT_EQ(canvas.at(13, 0), kBlack) << "its foot leads up";
  EXPECT_EQ(canvas.at(0, 0), kWhite);
}

TEST(Canvas, WhatIsBeyondTheEdgesIsLost) {
  Canvas canvas(4, 3, kWhite);
  canvas.fill(-5, -5, 7, 7, kBlack);
  canvas.disc(-100, 50, 10, kBlack);
  canvas.text(-3, -3, "WW", kWhite);
  canvas.set(4, 0, kBlack);
  EXPECT_EQ(canvas.at(3, 2), kWhite);
}

TEST(Canvas, DiscHasTheAreaOfACircle) {
  Canvas canvas(50, 50, kWhite);
  canvas.disc(25, 25, 20, kBlack);
  double area = 0;
  for (int y = 0; y < 50; ++y)
    for (int x = 0; x < 50; ++x) area += (255 - canvas.at(x, y).red) / 255.0;
  EXPECT_NEAR(area, 3.14159265 * 400, 5) << "a smooth edge: less than one part in 200";
}

}  // namespace
}  // namespace dropmd
