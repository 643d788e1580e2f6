#include "outputs/run_table.h"

#include <fmt/core.h>

#include <utility>

#include "core/version.h"

namespace dropmd {

std::string units_line(const Units& units) {
  return fmt::format("# dropmd {}, units: {} (length {}, energy {}, time {}, temperature {})\n", kVersion, units.name,
                     units.length, units.energy, units.time, units.temperature);
}

RunTable::RunTable(FileWriter writer, const Units& units, std::string_view names) : writer_(std::move(writer)) {
  if (writer_.mark().bytes > 0) return;
  writer_.write(fmt::format("{}{}\n", units_line(units), names));
  writer_.flush();
}

void RunTable::append_line(std::string_view line) {
  writer_.write(line);
  writer_.write("\n");
  writer_.flush();
}

void RunTable::close() {
  writer_.sync();
  writer_.close();
}

}  // namespace dropmd
