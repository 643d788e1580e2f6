#include "outputs/ledger_csv.h"

#include <fmt/core.h>

#include <string>
#include <string_view>
#include <utility>

namespace dropmd {

namespace {

std::vector<Cause> columns_of(const CauseSet& causes) {
  std::vector<Cause> columns;
  for (std::size_t k = 0; k < kCauses; ++k)
    if (causes.has(static_cast<Cause>(k))) columns.push_back(static_cast<Cause>(k));
  return columns;
}

/// What removed atoms took with them besides energy; the vectors by component.
constexpr std::string_view kNamesOfRemoved =
    ",removed_mass,removed_charge,removed_px,removed_py,removed_pz,removed_lx,removed_ly,removed_lz";

std::string text_of(const RemovedSums& removed) {
  const Vec3<double>&p = removed.momentum, &l = removed.angular_momentum;
  std::string text;
  for (const double value : {removed.mass, removed.charge, p.x, p.y, p.z, l.x, l.y, l.z})
    text += fmt::format(",{:.17g}", value);
  return text;
}

std::string names_of(const std::vector<Cause>& columns) {
  std::string names = "step,time,total,conserved";
  for (const Cause cause : columns) names.append(",").append(kCauseNames[static_cast<std::size_t>(cause)]);
  for (const Cause cause : columns)
    if (cause == Cause::removed) names += kNamesOfRemoved;
  return names;
}

}  // namespace

LedgerCsv::LedgerCsv(FileWriter writer, const Units& units, const CauseSet& causes)
    : RunTable(std::move(writer), units, names_of(columns_of(causes))), columns_(columns_of(causes)) {}

void LedgerCsv::append(const EnergyRow& row) {
  const double total = row.energies.total();
  std::string line =
      fmt::format("{},{:.17g},{:.17g},{:.17g}", row.step, row.time, total, row.conserved().value_or(total));
  for (const Cause cause : columns_) line += fmt::format(",{:.17g}", row.ledger.of(cause));
  for (const Cause cause : columns_)
    if (cause == Cause::removed) line += text_of(row.ledger.removed);
  append_line(line);
}

}  // namespace dropmd
