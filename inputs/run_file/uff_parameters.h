#pragma once

#include <optional>
#include <string_view>

namespace dropmd {

/// What the Universal Force Field says of an element's van der Waals term, and its standard atomic weight.
struct UffParameters {
  double mass;     ///< g/mol
  double epsilon;  ///< kcal/mol
  double r_min;    ///< Å
};

/// Of a species whose name is a chemical symbol in letters of any case, with or without digits and signs behind it
/// ("Na", "NA+", "O1"); none of another name, and beyond lawrencium. Unlike species mix by the geometric rule there.
std::optional<UffParameters> uff_parameters(std::string_view species);

}  // namespace dropmd
