#include "outputs/forces_csv.h"

#include <fmt/compile.h>
#include <fmt/format.h>

#include <cstddef>
#include <string_view>

#include "outputs/files/atomic_file.h"

namespace dropmd {

void write_forces_csv(const std::filesystem::path& path, std::span<const Vec3<double>> forces, bool overwrite) {
  write_atomically(path, overwrite, [forces](FileWriter& writer) {
    writer.write("atom,fx,fy,fz\n");
    fmt::memory_buffer line;
    for (std::size_t i = 0; i < forces.size(); ++i) {
      const Vec3<double>& f = forces[i];
      line.clear();
      fmt::format_to(fmt::appender(line), FMT_COMPILE("{},{:.17g},{:.17g},{:.17g}\n"), i + 1, f.x, f.y, f.z);
      writer.write(std::string_view(line.data(), line.size()));
    }
  });
}

}  // namespace dropmd
