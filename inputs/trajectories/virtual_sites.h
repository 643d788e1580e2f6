#pragma once

#include "inputs/structures/structure.h"

namespace dropmd {

/// Gives virtual sites the species X, as in runs: atoms without an element's symbol in a residue where others have one.
/// The readers of .pdb and mmCIF have given them their names as species, such as MW.
void name_virtual_sites(Structure& structure);

}  // namespace dropmd
