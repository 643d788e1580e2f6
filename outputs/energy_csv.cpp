#include "outputs/energy_csv.h"

#include <fmt/core.h>
#include <fmt/format.h>

#include <string>
#include <utility>

#include "outputs/csv_header.h"

namespace dropmd {

EnergyCsv::EnergyCsv(FileWriter writer, const Units& units, std::span<const std::string_view> components,
                     bool conserved)
    : writer_(std::move(writer)), components_(components.begin(), components.end()), conserved_(conserved) {
  if (writer_.mark().bytes > 0) return;
  writer_.write(csv_header(units) + fmt::format("step,time,potential,{},kinetic,total,temperature{}\n",
                                                fmt::join(components_, ","), conserved_ ? ",conserved" : ""));
  writer_.flush();
}

void EnergyCsv::append(const EnergyRow& row) {
  const Energies& e = row.energies;
  std::string line = fmt::format("{},{:.17g},{:.17g}", row.step, row.time, e.potential());
  for (const std::string_view component : components_) line += fmt::format(",{:.17g}", e.of(component));
  line += fmt::format(",{:.17g},{:.17g},{:.17g}", e.kinetic, e.total(), row.temperature);
  if (conserved_) line += fmt::format(",{:.17g}", row.conserved().value_or(e.total()));
  writer_.write(line + '\n');
  writer_.flush();
}

void EnergyCsv::close() {
  writer_.sync();
  writer_.close();
}

}  // namespace dropmd
