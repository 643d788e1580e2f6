#include "outputs/maps/canvas.h"

#include <png.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>

#include "outputs/maps/bitmap_font.h"

namespace dropmd {
namespace {

// Sizes of glyphs, in pixels.
constexpr double kPitch = 2.5;      // from one dot to the next
constexpr double kLineWidth = 2.2;  // of the lines between dots

constexpr int kColumnsBetween = 1;  // dots between two glyphs

double distance(const Stroke& stroke, double x, double y) {
  const double along_x = stroke.x1 - stroke.x0, along_y = stroke.y1 - stroke.y0;
  const double length2 = along_x * along_x + along_y * along_y;
  const double to_x = x - stroke.x0, to_y = y - stroke.y0;
  const double share = length2 > 0 ? std::clamp((to_x * along_x + to_y * along_y) / length2, 0.0, 1.0) : 0.0;
  return std::hypot(to_x - share * along_x, to_y - share * along_y);
}

/// Returns the inked fraction of the pixel around a point, in pixels from the upper left corner of a glyph.
double coverage(const StrokedGlyph& glyph, double x, double y) {
  double nearest = std::numeric_limits<double>::infinity();
  for (const Stroke& stroke : glyph.strokes)
    nearest = std::min(nearest, distance(stroke, (x - kLineWidth / 2) / kPitch, (y - kLineWidth / 2) / kPitch));
  return std::clamp(0.5 + kLineWidth / 2 - nearest * kPitch, 0.0, 1.0);
}

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
  if (holds(x, y)) pixels_[index(x, y)] = color;
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
  int begin = 0;  // columns of dots from the start of the text
  for (const char c : text) {
    const StrokedGlyph glyph = stroked_glyph(c);
    const double left = begin * kPitch;
    const int first = static_cast<int>(left) - 1, last = static_cast<int>(left + glyph.width * kPitch + kLineWidth) + 1;
    for (int down = -1; down <= kGlyphHeight * kPitch + kLineWidth; ++down)
      for (int along = first; along <= last; ++along) {
        const double covered = coverage(glyph, along + 0.5 - left, down + 0.5);
        const int column = upward ? x + down : x + along, row = upward ? y - 1 - along : y + down;
        if (covered > 0 && holds(column, row)) set(column, row, mixed(at(column, row), color, covered));
      }
    begin += glyph.width + kColumnsBetween;
  }
}

int Canvas::text_width(std::string_view text) {
  if (text.empty()) return 0;
  int columns = -kColumnsBetween;
  for (const char c : text) columns += stroked_glyph(c).width + kColumnsBetween;
  return static_cast<int>(std::ceil((columns - 1) * kPitch + kLineWidth));
}

int Canvas::text_height() {
  constexpr int kRowsAboveBase = 7;
  return static_cast<int>(std::ceil((kRowsAboveBase - 1) * kPitch + kLineWidth));
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
