#pragma once

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

}  // namespace dropmd
