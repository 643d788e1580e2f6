#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "inputs/line_reader.h"
#include "inputs/structures/structure.h"
#include "inputs/structures/xyz_columns.h"

namespace dropmd {

/// Fills a structure from the atom lines of an XYZ frame. The structure and the source text must outlive it.
class XyzAtomLines {
 public:
  XyzAtomLines(Structure& structure, std::vector<XyzColumn> columns)
      : structure_(structure), columns_(std::move(columns)) {}

  /// Allocates memory for that many atoms.
  void reserve(std::size_t n_atoms);
  /// Adds the atom of the reader's current line; `number` counts from 1. Throws InputError.
  void read(LineReader& lines, std::size_t number);

  /// The ids of the atoms in dropmd's trajectories; empty: the frame has none. Atoms of a new run are numbered from 1,
  /// so structures have no ids.
  const std::vector<std::uint32_t>& ids() const { return ids_; }

 private:
  void read_column(LineReader& lines, const XyzColumn& column, std::size_t number);
  Word word_of(LineReader& lines, const XyzColumn& column, std::size_t number) const;
  /// earlier: the value of another column of the same kind for this atom; null: there is none.
  double number_of(LineReader& lines, const XyzColumn& column, std::size_t number, const double* earlier) const;
  void read_number(LineReader& lines, const XyzColumn& column, std::size_t number, std::vector<double>& values) const;
  void read_vector(LineReader& lines, const XyzColumn& column, std::size_t number,
                   std::vector<Vec3<double>>& values) const;
  void read_id(LineReader& lines, const XyzColumn& column, std::size_t number);
  void read_species(LineReader& lines, const XyzColumn& column, std::size_t number);
  std::uint32_t species_index(std::string_view name);
  std::string columns_text() const;

  Structure& structure_;
  std::vector<XyzColumn> columns_;
  std::vector<std::uint32_t> ids_;
  /// Index by name; the names are views of the source text.
  std::unordered_map<std::string_view, std::uint32_t> species_;
};

}  // namespace dropmd
