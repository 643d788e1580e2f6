#pragma once

#include <array>
#include <cstdint>
#include <vector>

namespace dropmd {

inline constexpr int kGlyphWidth = 5;   ///< columns at most
inline constexpr int kGlyphHeight = 9;  ///< rows: seven above the base line, two below

/// Rows of dots from the top; of a row, bit 4 is the leftmost column.
using Glyph = std::array<std::uint8_t, kGlyphHeight>;

/// The glyph of a printable ASCII character; of any other, that of a question mark.
const Glyph& glyph_of(char c);

/// A straight line between the middles of two dots, in columns and rows; both ends alike: a single dot.
struct Stroke {
  int x0, y0, x1, y1;
};

/// A glyph as lines between its neighbouring dots, moved to column 0. Dots that touch at a corner alone are joined by a
/// diagonal, so that round letters get no steps.
struct StrokedGlyph {
  std::vector<Stroke> strokes{};
  int width = 0;  ///< columns from the first dot to the last
};

StrokedGlyph stroked_glyph(char c);

}  // namespace dropmd
