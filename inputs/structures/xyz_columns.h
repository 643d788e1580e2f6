#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "inputs/structures/xyz_comment.h"

namespace dropmd {

/// The meaning of a column of an XYZ file; `skipped`: a property that dropmd does not use.
enum class XyzColumnKind { species, position, velocity, momentum, charge, mass, id, skipped };

/// One property: `count` consecutive words of each atom line.
struct XyzColumn {
  XyzColumnKind kind = XyzColumnKind::skipped;
  std::string name;  ///< as in the file
  std::size_t count = 1;
  /// An earlier column with another name is of this kind, and the two must agree.
  bool repeats = false;
  SourcePlace place{};  ///< place of the name, for messages
};

/// Returns the columns of a frame from `Properties=name:type:count:...`; without it those of plain XYZ, species and
/// position. Throws InputError if the description is malformed, names a column twice or has no positions.
std::vector<XyzColumn> xyz_columns(const XyzComment& comment);

/// Returns a warning that names the columns that are skipped; nullopt if all are read.
std::optional<std::string> skipped_columns_warning(const std::vector<XyzColumn>& columns);

}  // namespace dropmd
