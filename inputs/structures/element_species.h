#pragma once

#include <cmath>
#include <gemmi/elem.hpp>
#include <string>
#include <string_view>

namespace dropmd {

/// Returns the name of the species of an atom: its element's symbol, such as "Na" for NA, or the atom's name where the
/// file has no known symbol.
inline std::string element_species(std::string_view symbol, std::string_view atom_name) {
  const gemmi::Element element(std::string{symbol});
  return std::string(element == gemmi::El::X ? atom_name : std::string_view(element.name()));
}

/// Returns the symbol of the element with this mass in g/mol, to the digits that force fields write; empty if there is
/// none, as for an atom that stands for a group.
inline std::string element_of_mass(double mass) {
  constexpr double kDigits = 0.06;
  std::string nearest;
  double difference = kDigits;
  for (int number = 1; number < static_cast<int>(gemmi::El::D); ++number) {
    const gemmi::Element element(static_cast<gemmi::El>(number));
    if (const double d = std::abs(element.weight() - mass); d < difference) {
      difference = d;
      nearest = element.name();
    }
  }
  return nearest;
}

}  // namespace dropmd
