#include "outputs/trajectories/hoomd_frame.h"

#if DROPMD_HAS_GSD

#include <algorithm>
#include <array>
#include <cmath>
#include <string>
#include <string_view>

namespace dropmd {
namespace {

template <class Number>
std::string bytes_of(const std::vector<Number>& numbers) {
  return {reinterpret_cast<const char*>(numbers.data()), numbers.size() * sizeof(Number)};
}

/// Appends an array, unless it is empty.
template <class Number>
void append(GsdFrame& frame, const char* name, gsd_type type, const std::vector<Number>& numbers, std::uint32_t m = 1) {
  if (!numbers.empty())
    frame.push_back({name, static_cast<std::uint8_t>(type), numbers.size() / m, m, bytes_of(numbers)});
}

std::vector<float> floats_of(const std::vector<Vec3<double>>& vectors) {
  std::vector<float> numbers;
  numbers.reserve(3 * vectors.size());
  for (const Vec3<double>& v : vectors)
    for (const double x : {v.x, v.y, v.z}) numbers.push_back(static_cast<float>(x));
  return numbers;
}

std::vector<float> floats_of(const std::vector<double>& numbers) { return {numbers.begin(), numbers.end()}; }

std::vector<float> box_around(const std::vector<float>& positions) {
  float most = 0;
  for (const float x : positions) most = std::max(most, std::abs(x));
  float edge = 1;
  while (edge <= 2 * most) edge *= 2;
  return {edge, edge, edge, 0, 0, 0};
}

/// Returns a row for each name, as long as the longest name with a zero after it.
std::vector<std::uint8_t> rows_of(const std::vector<std::string>& names, std::uint32_t& length) {
  std::size_t longest = 0;
  for (const std::string& name : names) longest = std::max(longest, name.size());
  std::vector<std::uint8_t> rows(names.size() * (longest + 1), 0);
  for (std::size_t k = 0; k < names.size(); ++k)
    std::copy(names[k].begin(), names[k].end(), rows.begin() + static_cast<std::ptrdiff_t>(k * (longest + 1)));
  length = static_cast<std::uint32_t>(longest + 1);
  return rows;
}

std::vector<std::uint32_t> ids_of(const Particles& particles) {
  std::vector<std::uint32_t> ids(particles.size());
  for (std::size_t i = 0; i < ids.size(); ++i) ids[i] = particles.id_of(i);
  return ids;
}

}  // namespace

GsdFrame hoomd_frame(const TrajectoryFrame& frame, bool ids) {
  const Particles& p = frame.particles;
  const std::vector<float> positions = floats_of(p.position);
  std::uint32_t length = 0;
  const std::vector<std::uint8_t> types = rows_of(p.species_names, length);
  GsdFrame chunks;
  append(chunks, "configuration/step", GSD_TYPE_UINT64, std::vector{static_cast<std::uint64_t>(frame.step)});
  append(chunks, "configuration/box", GSD_TYPE_FLOAT, box_around(positions));
  append(chunks, "particles/N", GSD_TYPE_UINT32, std::vector{static_cast<std::uint32_t>(p.size())});
  append(chunks, "particles/types", GSD_TYPE_UINT8, types, length);
  append(chunks, "particles/typeid", GSD_TYPE_UINT32, p.species);
  append(chunks, "particles/mass", GSD_TYPE_FLOAT, floats_of(p.mass));
  append(chunks, "particles/charge", GSD_TYPE_FLOAT, floats_of(p.charge));
  append(chunks, "particles/position", GSD_TYPE_FLOAT, positions, 3);
  append(chunks, "particles/velocity", GSD_TYPE_FLOAT, floats_of(p.velocity), 3);
  if (frame.time) append(chunks, "log/time", GSD_TYPE_DOUBLE, std::vector{*frame.time});
  if (ids) append(chunks, "log/particles/id", GSD_TYPE_UINT32, ids_of(p));
  return chunks;
}

GsdChunk units_chunk(const Units& units) {
  const std::string name(units.name);
  return {"log/units", GSD_TYPE_UINT8, name.size(), 1, name};
}

void drop_repeated(GsdFrame& frame, const GsdFrame& first) {
  constexpr std::array<std::string_view, 5> kMayRepeat{"particles/types", "particles/typeid", "particles/mass",
                                                       "particles/charge", "log/particles/id"};
  std::erase_if(frame, [&](const GsdChunk& chunk) {
    if (std::find(kMayRepeat.begin(), kMayRepeat.end(), chunk.name) == kMayRepeat.end()) return false;
    const auto same = std::find_if(first.begin(), first.end(), [&](const GsdChunk& other) {
      return std::string_view(other.name) == chunk.name && other.n == chunk.n && other.m == chunk.m;
    });
    return same != first.end() && same->data == chunk.data;
  });
}

}  // namespace dropmd

#endif
