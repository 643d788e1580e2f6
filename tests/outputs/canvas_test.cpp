#include "outputs/maps/canvas.h"

#include <gtest/gtest.h>

#include <set>

#include "outputs/maps/bitmap_font.h"

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

/// Whether a stroked glyph has a line between these dots.
bool has_line(const StrokedGlyph& glyph, int x0, int y0, int x1, int y1) {
  for (const Stroke& s : glyph.strokes)
    if (s.x0 == x0 && s.y0 == y0 && s.x1 == x1 && s.y1 == y1) return true;
  return false;
}

TEST(BitmapFont, DotsAreJoinedAndCornersStaySharp) {
  const StrokedGlyph slash = stroked_glyph('/');
  EXPECT_TRUE(has_line(slash, 2, 3, 1, 4)) << "dots that touch at a corner alone";
  EXPECT_FALSE(has_line(stroked_glyph('4'), 3, 0, 2, 1)) << "dots that a third one joins";
  const StrokedGlyph corner = stroked_glyph('L');
  EXPECT_TRUE(has_line(corner, 0, 0, 0, 1));
  EXPECT_TRUE(has_line(corner, 0, 6, 1, 6));
  EXPECT_FALSE(has_line(corner, 0, 5, 1, 6));
}

TEST(BitmapFont, NarrowCharactersTakeLessRoom) {
  EXPECT_EQ(stroked_glyph('m').width, 5);
  EXPECT_EQ(stroked_glyph('i').width, 3);
  EXPECT_EQ(stroked_glyph('.').width, 1);
  for (const Stroke& dot : stroked_glyph('.').strokes) EXPECT_EQ(dot.x0, 0) << "moved to the left";
  EXPECT_LT(Canvas::text_width("iiii"), Canvas::text_width("mmmm"));
  EXPECT_EQ(Canvas::text_width(""), 0);
}

/// The share of ink in a pixel, for black on white.
double ink(const Canvas& canvas, int x, int y) { return (255 - canvas.at(x, y).red) / 255.0; }

TEST(Canvas, LetterIsAsThickAsItsLinesAndHasSmoothEdges) {
  Canvas canvas(20, 24, kWhite);
  canvas.text(2, 2, "L", kBlack);
  double area = 0;
  for (int y = 0; y < canvas.height(); ++y)
    for (int x = 0; x < canvas.width(); ++x) area += ink(canvas, x, y);
  constexpr double kWidth = 2.2, kLength = (6 + 4) * 2.5, kRoundEnds = 3.1416 * kWidth * kWidth / 4;
  // In the corner, both lines overlap in a quarter of the square of their width, and the edges are rounded.
  constexpr double kOverlap = 1.5;
  EXPECT_NEAR(area, kLength * kWidth + kRoundEnds, kOverlap);
  EXPECT_EQ(canvas.at(3, 10), kBlack);
  EXPECT_EQ(canvas.at(10, 5), kWhite);
  EXPECT_EQ(ink(canvas, 3, 2 + Canvas::text_height()), 0) << "below the base line";
  Canvas round(20, 24, kWhite);
  round.text(2, 2, "O", kBlack);
  EXPECT_GT(round.width() * round.height() - count_of(round, kWhite) - count_of(round, kBlack), 20) << "grey pixels";
}

TEST(Canvas, UpwardTextIsTurnedToTheLeft) {
  constexpr int kLong = 40, kShort = 24;
  Canvas level(kLong, kShort, kWhite), upward(kShort, kLong, kWhite);
  level.text(3, 2, "Lg", kBlack);
  upward.text(2, kLong - 3, "Lg", kBlack, true);
  for (int y = 0; y < kShort; ++y)
    for (int x = 0; x < kLong; ++x) EXPECT_EQ(upward.at(y, kLong - 1 - x), level.at(x, y)) << x << ' ' << y;
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
