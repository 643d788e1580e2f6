#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace dropmd {

/// A colour with 8 bits per channel.
struct Color {
  std::uint8_t red = 0, green = 0, blue = 0;
  friend bool operator==(const Color&, const Color&) = default;
};

/// Returns a colour with the fraction `share` of b and the rest of a.
Color mixed(Color a, Color b, double share);

/// A picture of square pixels: x to the right, y downwards, (0, 0) the upper left pixel. Whatever is drawn beyond its
/// edges is clipped.
class Canvas {
 public:
  Canvas(int width, int height, Color background);

  int width() const { return width_; }
  int height() const { return height_; }
  Color at(int x, int y) const { return pixels_[index(x, y)]; }
  void set(int x, int y, Color color);

  void fill(int x, int y, int width, int height, Color color);
  /// Draws a line of one pixel along the inner edge.
  void frame(int x, int y, int width, int height, Color color);
  /// Draws a filled circle with a smooth edge around a point, in pixels.
  void disc(double x, double y, double radius, Color color);
  /// Draws a line of text with its upper left corner at (x, y); `upward`: from bottom to top, with its lower left
  /// corner there.
  void text(int x, int y, std::string_view text, Color color, bool upward = false);

  /// Size of a text in pixels, without the parts below the baseline.
  static int text_width(std::string_view text);
  static int text_height();

  /// Returns the picture as a PNG file.
  std::string png() const;

 private:
  bool holds(int x, int y) const { return x >= 0 && y >= 0 && x < width_ && y < height_; }
  std::size_t index(int x, int y) const {
    return static_cast<std::size_t>(y) * static_cast<std::size_t>(width_) + static_cast<std::size_t>(x);
  }

  int width_, height_;
  std::vector<Color> pixels_;
};

}  // namespace dropmd
