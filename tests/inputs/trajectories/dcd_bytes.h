#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace dropmd {

/// Writes DCD files, as Fortran programs of either byte order do.
struct DcdBytes {
  bool swapped = false;  ///< the other byte order than the processor's
  std::int32_t n_atoms = 2;
  std::int32_t first_step = 100, every = 10, n_fixed = 0;
  bool is_charmm = true, has_cell = false, has_fourth_dimension = false;
  double timestep = 0.04;
  std::string title = "REMARKS made for a test";
  std::string kind = "CORD";

  template <class Number>
  std::string number(Number value) const {
    auto bytes = std::bit_cast<std::array<char, sizeof(Number)>>(value);
    if (swapped) std::reverse(bytes.begin(), bytes.end());
    return {bytes.data(), bytes.size()};
  }
  std::string record(const std::string& bytes) const {
    const std::string mark = number(static_cast<std::uint32_t>(bytes.size()));
    return mark + bytes + mark;
  }
  std::string floats(const std::vector<float>& values) const {
    std::string bytes;
    for (const float value : values) bytes += number(value);
    return record(bytes);
  }

  std::string header() const {
    std::string first = kind;
    for (int k = 0; k < 20; ++k) {
      std::int32_t value = 0;
      if (k == 1) value = first_step;
      if (k == 2) value = every;
      if (k == 8) value = n_fixed;
      if (k == 9 && !is_charmm) {
        first += number(timestep);
        ++k;
        continue;
      }
      if (k == 10) value = has_cell ? 1 : 0;
      if (k == 11) value = has_fourth_dimension ? 1 : 0;
      if (k == 19) value = is_charmm ? 24 : 0;
      first += k == 9 ? number(static_cast<float>(timestep)) : number(value);
    }
    std::string line = title;
    line.resize(80, ' ');
    return record(first) + record(number(std::int32_t{1}) + line) + record(number(n_atoms));
  }

  /// x, y, z of all atoms; edge: of the cell, Å.
  std::string frame(const std::vector<float>& x, const std::vector<float>& y, const std::vector<float>& z,
                    double edge = 0) const {
    std::string bytes;
    if (has_cell)
      bytes += record(number(edge) + number(90.0) + number(edge) + number(90.0) + number(90.0) + number(edge));
    bytes += floats(x) + floats(y) + floats(z);
    if (has_fourth_dimension) bytes += floats(std::vector<float>(x.size(), 0.0F));
    return bytes;
  }
};

}  // namespace dropmd
