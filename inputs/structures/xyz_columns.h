#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "inputs/structures/xyz_comment.h"

namespace dropmd {

/// What a column of an XYZ file means here; `skipped`: a property that dropmd has no use for.
enum class XyzColumnKind { species, position, velocity, momentum, charge, mass, skipped };

/// One property: `count` neighbouring words of each atom line.
struct XyzColumn {
  XyzColumnKind kind = XyzColumnKind::skipped;
  std::string name;
  std::size_t count = 1;
  bool repeats = false;  ///< an earlier column under another name is of this kind: the two must agree
  SourcePlace place{};
};

/// The columns of a frame, from `Properties=name:type:count:...`; without it those of plain XYZ, species and position.
/// Throws InputError if the description is malformed, names a column twice or has no positions.
std::vector<XyzColumn> xyz_columns(const XyzComment& comment);

/// A warning that names the columns which are skipped; none if all are read.
std::optional<std::string> skipped_columns_warning(const std::vector<XyzColumn>& columns);

}  // namespace dropmd
