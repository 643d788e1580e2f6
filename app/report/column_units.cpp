#include <algorithm>
#include <array>
#include <utility>

#include "app/report/run_tables.h"

namespace dropmd {

namespace {

/// Returns the unit of a quantity by a line of units, "dropmd 0.1.0, units: real (length A, energy kcal/mol, ...)".
std::string_view unit_in(std::string_view header, std::string_view quantity) {
  const std::string key = std::string(quantity) + ' ';
  for (const std::string& before : {"(" + key, ", " + key}) {
    const std::size_t at = header.find(before);
    if (at == std::string_view::npos) continue;
    const std::string_view rest = header.substr(at + before.size());
    return rest.substr(0, rest.find_first_of(",)"));
  }
  return {};
}

constexpr std::array<std::string_view, 4> kTimes{"time"};
constexpr std::array<std::string_view, 6> kLengths{"radius", "r", "x", "y", "z"};
constexpr std::array<std::string_view, 12> kNumbers{
    "step", "clusters", "molecules", "atoms", "molecule", "vapour_molecules", "rayleigh_share", "cluster_molecules"};

template <std::size_t kSize>
bool is_in(const std::array<std::string_view, kSize>& names, std::string_view name) {
  return !name.empty() && std::find(names.begin(), names.end(), name) != names.end();
}

}  // namespace

std::string printed_unit(std::string_view unit) {
  constexpr std::pair<std::string_view, std::string_view> kPrinted[] = {
      {"A", "Å"}, {"sigma", "σ"}, {"epsilon", "ε"}, {"tau", "τ"}, {"epsilon/k_B", "ε/k_B"}};
  for (const auto& [ascii, printed] : kPrinted)
    if (unit == ascii) return std::string(printed);
  return std::string(unit);
}

std::string unit_of_column(std::string_view name, std::string_view header, std::string_view table) {
  const auto unit = [&](std::string_view quantity) { return printed_unit(unit_in(header, quantity)); };
  std::string charge = header.find("units: real") != std::string_view::npos ? "e" : "charge";
  if (is_in(kNumbers, name)) return {};
  if (is_in(kTimes, name)) return unit("time");
  if (is_in(kLengths, name)) return unit("length");
  if (name == "temperature" || name == "vapour_temperature") return unit("temperature");
  if (name.starts_with("gyration_")) return unit("length") + "²";
  if (name.starts_with("density_")) return unit("length") + "⁻³";
  if (name == "charge_density") return charge + "/" + unit("length") + "³";
  if (name == "charge" || name == "removed_charge") return charge;
  if (name == "mass" || name.starts_with("removed_")) return {};  // the line does not name the unit
  if (table == "profile.csv" && name == "potential") return unit("energy") + "/" + charge;
  return unit("energy");
}

}  // namespace dropmd
