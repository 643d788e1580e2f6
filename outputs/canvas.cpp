#include "outputs/canvas.h"

#include <png.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "outputs/bitmap_font.h"

namespace dropmd {
namespace {

constexpr int kPixelsPerDot = 2;  // of glyphs

}  // namespace

Color mixed(Color a, Color b, double share) {
  const auto mix = [share](std::uint8_t from, std::uint8_t to) {
    return static_cast<std::uint8_t>(std::lround(from + share * (to - from)));
  };
  return {mix(a.red, b.red), mix(a.green, b.green), mix(a.blue, b.blue)};
}

Canvas::Canvas(int width, int height, Color background)
    : width_(width),
      height_(height),
      pixels_(static_cast<std::size_t>(width) * static_cast<std::size_t>(height), background) {}

void Canvas::set(int x, int y, Color color) {
  if (holds(x, y)) pixels_[place(x, y)] = color;
}

void Canvas::fill(int x, int y, int width, int height, Color color) {
  for (int row = y; row < y + height; ++row)
    for (int column = x; column < x + width; ++column) set(column, row, color);
}

void Canvas::frame(int x, int y, int width, int height, Color color) {
  fill(x, y, width, 1, color);
  fill(x, y + height - 1, width, 1, color);
  fill(x, y, 1, height, color);
  fill(x + width - 1, y, 1, height, color);
}

void Canvas::disc(double x, double y, double radius, Color color) {
  const auto first = [&](double c) { return static_cast<int>(std::floor(c - radius - 1)); };
  const auto last = [&](double c) { return static_cast<int>(std::ceil(c + radius + 1)); };
  for (int row = std::max(0, first(y)); row <= std::min(height_ - 1, last(y)); ++row)
    for (int column = std::max(0, first(x)); column <= std::min(width_ - 1, last(x)); ++column) {
      const double outside = std::hypot(column + 0.5 - x, row + 0.5 - y) - radius;
      const double covered = std::clamp(0.5 - outside, 0.0, 1.0);
      set(column, row, mixed(at(column, row), color, covered));
    }
}

void Canvas::text(int x, int y, std::string_view text, Color color, bool upward) {
  int begin = 0;  // dots from the start of the text
  for (const char c : text) {
    const Glyph& glyph = glyph_of(c);
    for (int row = 0; row < kGlyphHeight; ++row)
      for (int column = 0; column < kGlyphWidth; ++column) {
        if ((glyph[static_cast<std::size_t>(row)] >> static_cast<unsigned>(kGlyphWidth - 1 - column) & 1U) == 0)
          continue;
        const int along = (begin + column) * kPixelsPerDot, down = row * kPixelsPerDot;
        if (upward)
          fill(x + down, y - along - kPixelsPerDot, kPixelsPerDot, kPixelsPerDot, color);
        else
          fill(x + along, y + down, kPixelsPerDot, kPixelsPerDot, color);
      }
    begin += kGlyphStep;
  }
}

int Canvas::text_width(std::string_view text) {
  return text.empty() ? 0 : (static_cast<int>(text.size()) * kGlyphStep - 1) * kPixelsPerDot;
}

int Canvas::text_height() {
  constexpr int kRowsAboveBase = 7;
  return kRowsAboveBase * kPixelsPerDot;
}

std::string Canvas::png() const {
  static_assert(sizeof(Color) == 3);
  png_image image{};
  image.version = PNG_IMAGE_VERSION;
  image.width = static_cast<png_uint_32>(width_);
  image.height = static_cast<png_uint_32>(height_);
  image.format = PNG_FORMAT_RGB;
  png_alloc_size_t n_bytes = PNG_IMAGE_PNG_SIZE_MAX(image);
  std::string bytes(n_bytes, '\0');
  if (png_image_write_to_memory(&image, bytes.data(), &n_bytes, 0, pixels_.data(), 0, nullptr) == 0)
    throw std::runtime_error(std::string("libpng: ") + image.message);
  bytes.resize(n_bytes);
  return bytes;
}

}  // namespace dropmd
