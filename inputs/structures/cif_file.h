#pragma once

#include <filesystem>

#include "inputs/structures/cif_tokens.h"
#include "inputs/structures/structure.h"
#include "inputs/text_source.h"

namespace dropmd {

/// Reads the atoms of an mmCIF file (.cif, .mmcif): the category _atom_site of the first block that has it, in the
/// order of the file. Names and numbers are the authors' where the file has them, as in PDB files. Of several models
/// the first is read, with a warning. Results are in units real; the species of an atom is its element, or its name
/// where the file has no symbol. A unit cell is left out, with a warning. Atoms with alternate locations are an error,
/// and so are CIF files of small molecules, whose coordinates are fractions of a cell. Throws InputError with
/// FILE:LINE:COLUMN.
Structure read_cif_file(const std::filesystem::path& path);

/// The same for a text from which lines were left out.
Structure read_cif_text(const TextSource& source, CifGap gap = {});

}  // namespace dropmd
