#include "outputs/energy_csv.h"

#include <fmt/core.h>

#include <utility>

#include "core/version.h"

namespace dropmd {

EnergyCsv::EnergyCsv(FileWriter writer, const Units& units) : writer_(std::move(writer)) {
  if (writer_.mark().bytes > 0) return;
  writer_.write(
      fmt::format("# dropmd {}, units: {} (length {}, energy {}, time {}, temperature {})\n"
                  "step,time,potential,vdw,coulomb,wall,kinetic,total,temperature\n",
                  kVersion, units.name, units.length, units.energy, units.time, units.temperature));
  writer_.flush();
}

void EnergyCsv::append(const EnergyRow& row) {
  const Energies& e = row.energies;
  writer_.write(fmt::format("{},{:.17g},{:.17g},{:.17g},{:.17g},{:.17g},{:.17g},{:.17g},{:.17g}\n", row.step, row.time,
                            e.potential(), e.vdw, e.coulomb, e.wall, e.kinetic, e.total(), row.temperature));
  writer_.flush();
}

void EnergyCsv::close() {
  writer_.sync();
  writer_.close();
}

}  // namespace dropmd
