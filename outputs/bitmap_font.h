#pragma once

#include <array>
#include <cstdint>

namespace dropmd {

inline constexpr int kGlyphWidth = 5;   ///< columns
inline constexpr int kGlyphHeight = 9;  ///< rows: seven above the base line, two below
inline constexpr int kGlyphStep = 6;    ///< columns from one glyph to the next

/// Rows from the top; of a row, bit 4 is the leftmost column.
using Glyph = std::array<std::uint8_t, kGlyphHeight>;

/// The glyph of a printable ASCII character; of any other, that of a question mark.
const Glyph& glyph_of(char c);

}  // namespace dropmd
