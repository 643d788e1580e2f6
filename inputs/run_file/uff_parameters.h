#pragma once

#include <optional>
#include <string_view>

namespace dropmd {

/// Van der Waals parameters of an element in the Universal Force Field, and its standard atomic weight.
struct UffParameters {
  double mass;     ///< g/mol
  double epsilon;  ///< kcal/mol
  double r_min;    ///< Å
};

/// Returns the parameters of a species whose name is a chemical symbol in letters of any case, followed by any digits
/// and signs ("Na", "NA+", "O1"); nullopt for any other name, and for elements beyond lawrencium. In UFF unlike species
/// mix by the geometric rule.
std::optional<UffParameters> uff_parameters(std::string_view species);

}  // namespace dropmd
