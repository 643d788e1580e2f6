#pragma once

#include <array>
#include <cstdint>
#include <vector>

namespace dropmd {

inline constexpr int kGlyphWidth = 5;   ///< largest number of columns
inline constexpr int kGlyphHeight = 9;  ///< rows: seven above the baseline, two below

/// Rows of dots from the top; in a row, bit 4 is the leftmost column.
using Glyph = std::array<std::uint8_t, kGlyphHeight>;

/// Returns the glyph of a printable ASCII character; for any other character that of a question mark.
const Glyph& glyph_of(char c);

/// A straight line between the middles of two dots, in columns and rows; equal ends denote a single dot.
struct Stroke {
  int x0, y0, x1, y1;
};

/// A glyph as lines between its neighbouring dots, shifted to column 0. Dots that touch only at a corner are joined by
/// a diagonal, so that round letters have no steps.
struct StrokedGlyph {
  std::vector<Stroke> strokes{};
  int width = 0;  ///< columns from the first to the last dot
};

StrokedGlyph stroked_glyph(char c);

}  // namespace dropmd
