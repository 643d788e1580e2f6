#include "outputs/energy_csv.h"

#include <fmt/core.h>
#include <fmt/format.h>

#include <string>

#include <utility>

#include "core/version.h"

namespace dropmd {

EnergyCsv::EnergyCsv(FileWriter writer, const Units& units, std::span<const std::string_view> components)
    : writer_(std::move(writer)), components_(components.begin(), components.end()) {
  if (writer_.mark().bytes > 0) return;
  writer_.write(fmt::format(
      "# dropmd {}, units: {} (length {}, energy {}, time {}, temperature {})\n"
      "step,time,potential,{},kinetic,total,temperature\n",
      kVersion, units.name, units.length, units.energy, units.time, units.temperature, fmt::join(components_, ",")));
  writer_.flush();
}

void EnergyCsv::append(const EnergyRow& row) {
  const Energies& e = row.energies;
  std::string line = fmt::format("{},{:.17g},{:.17g}", row.step, row.time, e.potential());
  for (const std::string_view component : components_) line += fmt::format(",{:.17g}", e.of(component));
  writer_.write(line + fmt::format(",{:.17g},{:.17g},{:.17g}\n", e.kinetic, e.total(), row.temperature));
  writer_.flush();
}

void EnergyCsv::close() {
  writer_.sync();
  writer_.close();
}

}  // namespace dropmd
