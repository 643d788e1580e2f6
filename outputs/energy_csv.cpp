#include "outputs/energy_csv.h"

#include <fmt/core.h>
#include <fmt/format.h>

#include <string>
#include <utility>

namespace dropmd {

EnergyCsv::EnergyCsv(FileWriter writer, const Units& units, std::span<const std::string_view> components,
                     bool conserved)
    : RunTable(std::move(writer), units,
               fmt::format("step,time,potential,{},kinetic,total,temperature{}", fmt::join(components, ","),
                           conserved ? ",conserved" : "")),
      components_(components.begin(), components.end()),
      conserved_(conserved) {}

void EnergyCsv::append(const EnergyRow& row) {
  const Energies& e = row.energies;
  std::string line = fmt::format("{},{:.17g},{:.17g}", row.step, row.time, e.potential());
  for (const std::string_view component : components_) line += fmt::format(",{:.17g}", e.of(component));
  line += fmt::format(",{:.17g},{:.17g},{:.17g}", e.kinetic, e.total(), row.temperature);
  if (conserved_) line += fmt::format(",{:.17g}", row.conserved().value_or(e.total()));
  append_line(line);
}

}  // namespace dropmd
