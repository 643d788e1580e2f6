#pragma once

#include "inputs/structures/structure.h"

namespace dropmd {

/// Makes virtual sites of the species X, as runs have them: atoms without an element's symbol in a residue where others
/// have one. Readers of .pdb and mmCIF have called their species by their names, such as MW.
void name_virtual_sites(Structure& structure);

}  // namespace dropmd
