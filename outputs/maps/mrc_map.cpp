#include "outputs/maps/mrc_map.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <gemmi/ccp4.hpp>
#include <limits>
#include <optional>
#include <string>
#include <string_view>

#include "core/errors.h"
#include "core/version.h"
#include "outputs/files/one_line.h"

namespace dropmd {
namespace {

/// Indices of 4-byte words, from 1, in the header of 256 words (MRC2014, Cheng et al., J. Struct. Biol. 192, 146
/// (2015)).
enum HeaderWord { kStart = 5, kExtraBytes = 24, kExtraType = 27, kOrigin = 50, kLabelCount = 56, kLabels = 57 };
constexpr std::size_t kHeaderWords = 256;
constexpr std::size_t kLabelBytes = 80;
constexpr int kModeFp32 = 2;

/// The largest multiple of a map's size that ChimeraX accepts as a start; it takes larger ones for uninitialised
/// numbers.
constexpr int kMostStarts = 10;

/// Returns the origin in spacings if it is a whole number of them up to the rounding of fp32.
std::optional<Vec3<std::int32_t>> start_of(const MapGrid& grid) {
  constexpr double kRounding = 1e-6;  // in spacings
  const double most = kMostStarts * static_cast<double>(std::max({grid.points.x, grid.points.y, grid.points.z}));
  const Vec3<double> exact{grid.origin.x / grid.spacing.x, grid.origin.y / grid.spacing.y,
                           grid.origin.z / grid.spacing.z};
  for (const double start : {exact.x, exact.y, exact.z})
    if (!(std::abs(start) <= most && std::abs(start - std::round(start)) <= kRounding)) return std::nullopt;
  const auto whole = [](double start) { return static_cast<std::int32_t>(std::lround(start)); };
  return Vec3<std::int32_t>{whole(exact.x), whole(exact.y), whole(exact.z)};
}

gemmi::DataStats statistics_of(const PotentialMap& map, const FileWriter& writer) {
  gemmi::DataStats statistics;
  statistics.dmin = statistics.dmax = map.potential.front();
  double sum = 0, sum_of_squares = 0;
  for (const double v : map.potential) {
    statistics.dmin = std::min(statistics.dmin, v), statistics.dmax = std::max(statistics.dmax, v);
    sum += v;
  }
  const auto n = static_cast<double>(map.potential.size());
  statistics.dmean = sum / n;
  for (const double v : map.potential) sum_of_squares += (v - statistics.dmean) * (v - statistics.dmean);
  statistics.rms = std::sqrt(sum_of_squares / n);
  const double largest = std::max(-statistics.dmin, statistics.dmax);
  if (largest > static_cast<double>(std::numeric_limits<float>::max()))
    throw OutputError(fmt::format("{}: a potential of {} is too large for MRC, which has fp32 (use .dx, .cube or .vti)",
                                  writer.path().string(), largest));
  return statistics;
}

gemmi::Ccp4<float> header_of(const PotentialMap& map, const gemmi::DataStats& statistics) {
  const MapGrid& grid = map.grid;
  gemmi::Ccp4<float> ccp4;
  ccp4.grid.nu = grid.points.x, ccp4.grid.nv = grid.points.y, ccp4.grid.nw = grid.points.z;
  ccp4.grid.axis_order = gemmi::AxisOrder::XYZ;
  ccp4.grid.unit_cell.set(grid.points.x * grid.spacing.x, grid.points.y * grid.spacing.y,
                          grid.points.z * grid.spacing.z, 90, 90, 90);
  ccp4.hstats = statistics;
  ccp4.update_ccp4_header(kModeFp32, false);

  // No extended header: a droplet has no symmetry.
  ccp4.ccp4_header.resize(kHeaderWords);
  ccp4.set_header_i32(kExtraBytes, 0);
  ccp4.set_header_i32(kExtraType, 0);

  if (const auto start = start_of(grid)) {
    ccp4.set_header_3i32(kStart, start->x, start->y, start->z);
  } else {
    ccp4.set_header_float(kOrigin, static_cast<float>(grid.origin.x));
    ccp4.set_header_float(kOrigin + 1, static_cast<float>(grid.origin.y));
    ccp4.set_header_float(kOrigin + 2, static_cast<float>(grid.origin.z));
  }

  const std::array labels{one_line(map.title, kLabelBytes),
                          one_line(fmt::format("electrostatic potential in {}, lengths in {}, by dropmd {}", map.unit,
                                               map.length, kVersion),
                                   kLabelBytes)};
  ccp4.set_header_i32(kLabelCount, static_cast<int>(labels.size()));
  for (std::size_t label = 0; label < labels.size(); ++label) {
    std::string text = labels[label];
    text.resize(kLabelBytes, ' ');
    ccp4.set_header_str(kLabels + static_cast<int>(label * kLabelBytes / sizeof(float)), text);
  }
  return ccp4;
}

}  // namespace

void write_mrc_map(FileWriter& writer, const PotentialMap& map) {
  const gemmi::Ccp4<float> ccp4 = header_of(map, statistics_of(map, writer));
  const auto write_words = [&writer](const auto* words, std::size_t n) {
    static_assert(sizeof(*words) == 4);
    writer.write(std::string_view(reinterpret_cast<const char*>(words), n * sizeof(*words)));
  };
  write_words(ccp4.ccp4_header.data(), kHeaderWords);

  std::array<float, 4096> block{};
  for (std::size_t begin = 0; begin < map.potential.size(); begin += block.size()) {
    const std::size_t n = std::min(block.size(), map.potential.size() - begin);
    for (std::size_t p = 0; p < n; ++p) block[p] = static_cast<float>(map.potential[begin + p]);
    write_words(block.data(), n);
  }
}

}  // namespace dropmd
