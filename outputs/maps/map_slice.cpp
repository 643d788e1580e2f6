#include "outputs/maps/map_slice.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <string_view>
#include <vector>

#include "core/errors.h"
#include "outputs/files/atomic_file.h"
#include "outputs/files/one_line.h"
#include "outputs/maps/canvas.h"

namespace dropmd {
namespace {

namespace fs = std::filesystem;

constexpr Color kPaper{255, 255, 255}, kInk{30, 30, 30};
constexpr Color kPositive{20, 60, 170}, kHalfPositive{105, 160, 225}, kZero{248, 248, 248};
constexpr Color kHalfNegative{240, 130, 105}, kNegative{170, 15, 35};
constexpr Color kPositiveAtom{0, 90, 255}, kNegativeAtom{255, 30, 0}, kNeutralAtom{150, 150, 150};

// Sizes in pixels.
constexpr int kLongSide = 840, kShortestSide = 40;
constexpr int kLeft = 100, kTop = 64, kBottom = 92, kRight = 180;  ///< margins of the map
constexpr int kLeastWidth = 800, kLeastBar = 240;
constexpr int kBarGap = 30, kBarWidth = 24, kTick = 6, kGap = 8;
constexpr int kLongestTickX = 240, kLongestTickY = 120;  ///< between two ticks

constexpr double kShownShare = 0.98;  ///< fraction of the points within the limits of the colours

Color color_of(double share) {
  const double size = std::min(std::abs(share), 1.0);
  const Color half = share > 0 ? kHalfPositive : kHalfNegative, full = share > 0 ? kPositive : kNegative;
  return size < 0.5 ? mixed(kZero, half, 2 * size) : mixed(half, full, 2 * size - 1);
}

/// Numbers on an axis: multiples of 1, 2 or 5 times a power of ten, with one to 2.5 of them in a part of the axis.
struct Ticks {
  double step = 1;
  std::vector<double> values{};

  Ticks(double low, double high, int parts) {
    constexpr int kMost = 50;  // ends the loop if rounding of large coordinates would not
    const double widest = (high - low) / parts;
    if (!(widest > 0)) return;
    const double power = std::pow(10.0, std::floor(std::log10(widest)));
    step = power;
    for (const double factor : {2.0, 5.0})
      if (factor * power <= widest * (1 + 1e-9)) step = factor * power;
    const double first = std::ceil(low / step - 1e-9);
    for (int k = 0; k < kMost && (first + k) * step <= high + 1e-9 * step; ++k) values.push_back((first + k) * step);
  }

  std::string text(double value) const {
    if (std::abs(value) < 1e-6 * step) return "0";
    if (step >= 1e5 || step < 1e-4) return fmt::format("{:.4g}", value);
    return fmt::format("{:.{}f}", value, static_cast<int>(std::max(0.0, -std::floor(std::log10(step) + 1e-9))));
  }
};

/// The layout of a map in its picture: pixels of the map's lower left corner, which is half a spacing before the first
/// point, and pixels per length.
struct Layout {
  int width, height;      ///< of the map
  double u_low, v_low;    ///< coordinates of the corner
  double u_size, v_size;  ///< lengths
  int bar_height;

  explicit Layout(const MapPlane& plane)
      : u_low(along(plane.origin, plane.u) - along(plane.spacing, plane.u) / 2),
        v_low(along(plane.origin, plane.v) - along(plane.spacing, plane.v) / 2),
        u_size(plane.n_u * along(plane.spacing, plane.u)),
        v_size(plane.n_v * along(plane.spacing, plane.v)) {
    const double scale = kLongSide / std::max(u_size, v_size);
    width = std::max(kShortestSide, static_cast<int>(std::lround(u_size * scale)));
    height = std::max(kShortestSide, static_cast<int>(std::lround(v_size * scale)));
    bar_height = std::max(height, kLeastBar);
  }

  double x_of(double u) const { return kLeft + (u - u_low) / u_size * width; }
  double y_of(double v) const { return kTop + height - (v - v_low) / v_size * height; }
  int picture_width() const { return std::max(kLeft + width + kRight, kLeastWidth); }
  int picture_height() const { return kTop + bar_height + kBottom; }
};

void draw_map(Canvas& canvas, const Layout& layout, const MapPlane& plane, double limit) {
  for (int y = 0; y < layout.height; ++y)
    for (int x = 0; x < layout.width; ++x) {
      const double u = layout.u_low + (x + 0.5) / layout.width * layout.u_size;
      const double v = layout.v_low + (layout.height - y - 0.5) / layout.height * layout.v_size;
      canvas.set(kLeft + x, kTop + y, color_of(plane.at(u, v) / limit));
    }
}

Color atom_color(double charge) { return charge > 0 ? kPositiveAtom : charge < 0 ? kNegativeAtom : kNeutralAtom; }

void draw_atoms(Canvas& canvas, const Layout& layout, const MapPlane& plane, const MapAtoms& atoms,
                const SliceOptions& options) {
  // A length, within the limits in pixels.
  constexpr double kRadius = 0.3, kLeastPixels = 4.5, kMostPixels = 7;
  const double radius = std::clamp(kRadius * layout.width / layout.u_size, kLeastPixels, kMostPixels);
  for (std::size_t i = 0; i < atoms.position.size(); ++i) {
    const Vec3<double>& r = atoms.position[i];
    if (!(std::abs(along(r, options.axis) - options.coordinate) <= options.atom_distance)) continue;
    const double x = layout.x_of(along(r, plane.u)), y = layout.y_of(along(r, plane.v));
    if (!(x >= kLeft && x <= kLeft + layout.width && y >= kTop && y <= kTop + layout.height)) continue;
    canvas.disc(x, y, radius, kPaper);
    canvas.disc(x, y, radius - 1, kInk);
    canvas.disc(x, y, radius - 2, atom_color(atoms.charge.empty() ? 0 : atoms.charge[i]));
  }
}

void draw_axes(Canvas& canvas, const Layout& layout, const MapPlane& plane, std::string_view length) {
  canvas.frame(kLeft - 1, kTop - 1, layout.width + 2, layout.height + 2, kInk);
  const int bottom = kTop + layout.height, middle = Canvas::text_height() / 2;
  const Ticks u_ticks(layout.u_low, layout.u_low + layout.u_size, std::max(1, layout.width / kLongestTickX));
  for (const double u : u_ticks.values) {
    const auto x = static_cast<int>(layout.x_of(u));
    const std::string text = u_ticks.text(u);
    canvas.fill(x, bottom, 2, kTick, kInk);
    canvas.text(x + 1 - Canvas::text_width(text) / 2, bottom + kTick + kGap, text, kInk);
  }
  const Ticks v_ticks(layout.v_low, layout.v_low + layout.v_size, std::max(2, layout.height / kLongestTickY));
  for (const double v : v_ticks.values) {
    const auto y = static_cast<int>(layout.y_of(v));
    const std::string text = v_ticks.text(v);
    canvas.fill(kLeft - kTick, y, kTick, 2, kInk);
    canvas.text(kLeft - kTick - kGap - Canvas::text_width(text), y + 1 - middle, text, kInk);
  }
  const std::string u_label = fmt::format("{} ({})", name_of(plane.u), length);
  const std::string v_label = fmt::format("{} ({})", name_of(plane.v), length);
  canvas.text(kLeft + (layout.width - Canvas::text_width(u_label)) / 2, bottom + kTick + 2 * kGap + 2 * middle, u_label,
              kInk);
  canvas.text(kGap, kTop + (layout.height + Canvas::text_width(v_label)) / 2, v_label, kInk, true);
}

void draw_bar(Canvas& canvas, const Layout& layout, double limit, std::string_view label) {
  const int left = kLeft + layout.width + kBarGap, height = layout.bar_height;
  for (int y = 0; y < height; ++y) canvas.fill(left, kTop + y, kBarWidth, 1, color_of(1 - 2 * (y + 0.5) / height));
  canvas.frame(left - 1, kTop - 1, kBarWidth + 2, height + 2, kInk);
  const Ticks ticks(-limit, limit, std::max(2, height / kLongestTickY));
  for (const double value : ticks.values) {
    const auto y = static_cast<int>(kTop + (1 - value / limit) / 2 * (height - 2));
    canvas.fill(left + kBarWidth, y, kTick, 2, kInk);
    canvas.text(left + kBarWidth + kTick + kGap, y + 1 - Canvas::text_height() / 2, ticks.text(value), kInk);
  }
  canvas.text(left - kBarGap + kRight - 3 * kGap, kTop + (height + Canvas::text_width(label)) / 2, label, kInk, true);
}

/// Returns the part of a text that fits the picture's width.
std::string fitting(std::string_view text, const Layout& layout) {
  const int room = layout.picture_width() - kLeft - kGap;
  std::string line = one_line(text, text.size());
  while (!line.empty() && Canvas::text_width(line) > room) line.pop_back();
  return line;
}

void draw_words(Canvas& canvas, const Layout& layout, const MapPlane& plane, const PotentialMap& map,
                const SliceOptions& options, bool has_atoms) {
  const auto [low, high] = std::minmax_element(plane.potential.begin(), plane.potential.end());
  canvas.text(kLeft, kGap, fitting(map.title, layout), kInk);
  canvas.text(kLeft, 2 * kGap + Canvas::text_height() + 4,
              fitting(fmt::format("{} = {:.6g} {}, {:.4g} to {:.4g} {}", name_of(options.axis), options.coordinate,
                                  map.length, *low, *high, map.unit),
                      layout),
              kInk);
  if (!has_atoms) return;
  constexpr double kRadius = 7;
  int x = kLeft;
  const int y = layout.picture_height() - kGap - Canvas::text_height();
  const auto entry = [&](double charge, const std::string& text) {
    const double middle = y + Canvas::text_height() / 2.0;
    canvas.disc(x + kRadius, middle, kRadius - 1, kInk);
    canvas.disc(x + kRadius, middle, kRadius - 2, atom_color(charge));
    canvas.text(x + 2 * static_cast<int>(kRadius) + kGap, y, text, kInk);
    x += 2 * static_cast<int>(kRadius) + 3 * kGap + Canvas::text_width(text);
  };
  entry(1, "q > 0");
  entry(-1, "q < 0");
  entry(0, "q = 0");
  canvas.text(x, y, fmt::format("atoms within {:.4g} {} of the plane", options.atom_distance, map.length), kInk);
}

}  // namespace

void require_map_slice(const fs::path& path, const MapGrid& grid, const SliceOptions& options) {
  if (path.extension() != ".png")
    throw OutputError(path.string() + ": no slice format for this name (it must end in .png)");
  if (!reaches(grid, options.axis, options.coordinate)) {
    const Vec3<double> last = grid.at(grid.points.x - 1, grid.points.y - 1, grid.points.z - 1);
    throw OutputError(fmt::format("{}: the slice {} = {} is outside the map (from {} to {})", path.string(),
                                  name_of(options.axis), options.coordinate, along(grid.origin, options.axis),
                                  along(last, options.axis)));
  }
  if (options.limit && !(std::isfinite(*options.limit) && *options.limit > 0))
    throw OutputError(fmt::format("{}: colours up to {} (a limit must be positive)", path.string(), *options.limit));
  if (!(options.atom_distance >= 0))
    throw OutputError(fmt::format("{}: atoms up to {} from the plane (a distance must not be negative)", path.string(),
                                  options.atom_distance));
}

void write_map_slice(const fs::path& path, const PotentialMap& map, const MapAtoms& atoms, const SliceOptions& options,
                     bool overwrite) {
  require_map_slice(path, map.grid, options);
  const MapPlane plane = plane_of(map, options.axis, options.coordinate);
  for (const double value : plane.potential)
    if (!std::isfinite(value))
      throw OutputError(
          fmt::format("{}: the potential is {} in the slice (colours need finite numbers)", path.string(), value));
  const double shown = options.limit ? *options.limit : plane.quantile(kShownShare);
  const double limit = shown > 0 ? shown : 1.0;  // all values are zero

  const Layout layout(plane);
  Canvas canvas(layout.picture_width(), layout.picture_height(), kPaper);
  draw_map(canvas, layout, plane, limit);
  draw_atoms(canvas, layout, plane, atoms, options);
  draw_axes(canvas, layout, plane, map.length);
  draw_bar(canvas, layout, limit, fmt::format("potential ({})", map.unit));
  draw_words(canvas, layout, plane, map, options, !atoms.position.empty());
  write_atomically(path, overwrite, [&](FileWriter& writer) { writer.write(canvas.png()); });
}

}  // namespace dropmd
