#pragma once

#include <string>
#include <string_view>

#include "inputs/structures/structure.h"
#include "inputs/text_source.h"

/// What the readers of molecules' structure files share: .gro, PDB and mmCIF, formats that fix their units.
namespace dropmd {

/// Returns a structure without atoms that is in units real and comes from that file.
Structure empty_molecule_structure(const TextSource& source);

/// Returns the warning that a file has a box, or something like it.
std::string box_warning(const SourcePlace& place, std::string_view box = "box");

}  // namespace dropmd
