#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "inputs/line_reader.h"
#include "inputs/structures/structure.h"

namespace dropmd {

/// Reads the atoms of a PDB file (.pdb, .ent; format 3.3 of wwPDB) in the order of the file: ATOM and HETATM records of
/// the first model, with a warning if there are more. Residue names may have four letters, residue numbers may be in
/// hybrid-36 notation or blank. Results are in units real; the species of an atom is its element, or its name where
/// columns 77 and 78 have no symbol. A box (CRYST1) is left out, with a warning. Atoms with alternate locations are an
/// error. Throws InputError with FILE:LINE:COLUMN.
Structure read_pdb_file(const std::filesystem::path& path);

/// Reads the first model of the lines after the current one. source: that of the lines.
Structure read_pdb_model(LineReader& lines, const TextSource& source);

/// Returns the name of a line's record, columns 1 to 6, in capitals: "ATOM".
std::string pdb_record_name(std::string_view line);

}  // namespace dropmd
