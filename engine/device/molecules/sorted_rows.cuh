#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "device/buffer.cuh"
#include "device/cub_scratch.h"
#include "device/cuda.cuh"
#include "forces/term_atoms.cuh"

namespace dropmd {

/// Tables of atoms, such as the clusters of constraints of one kind: each row has the atoms of one cluster, and a type.
/// On the device a row has storage indices, and the rows of a table are sorted by the first index of each, so that
/// threads of consecutive rows access memory that is close together.
class SortedRows {
 public:
  /// A table: where its atoms and types begin in at() and type().
  struct Table {
    std::uint32_t first_atom, first_row, n_rows, width;
  };

  explicit SortedRows(const Stream& stream)
      : atoms_(stream),
        d_type_(stream),
        d_at_(stream),
        d_sorted_type_(stream),
        d_key_(stream),
        d_order_(stream),
        d_scratch_(stream) {}

  /// Appends a table; type: [rows.size()].
  template <std::size_t k>
  Table add(const std::vector<std::array<std::uint32_t, k>>& rows, std::span<const std::uint32_t> type) {
    const Table table{static_cast<std::uint32_t>(h_atom_.size()), static_cast<std::uint32_t>(h_type_.size()),
                      static_cast<std::uint32_t>(rows.size()), k};
    for (const auto& row : rows) h_atom_.insert(h_atom_.end(), row.begin(), row.end());
    h_type_.insert(h_type_.end(), type.begin(), type.end());
    tables_.push_back(table);
    return table;
  }
  /// Copies the tables, with host indices, to the device; waits. n_atoms: of the host's arrays.
  void upload(const Cuda& cuda, std::size_t n_atoms);
  /// Finds the atoms and sorts the rows; to be called when the atoms are in another order.
  void reordered(const Cuda& cuda, const std::uint32_t* host_index, std::uint32_t n_atoms) const;

  /// [n_rows][width] storage indices, and [n_rows] types, of a table.
  const std::uint32_t* at(const Table& table) const { return d_at_.data() + table.first_atom; }
  const std::uint32_t* type(const Table& table) const { return d_sorted_type_.data() + table.first_row; }

  /// Device memory in bytes, at most. n_entries: atoms in all rows; n_rows: rows of all tables.
  static std::uint64_t bytes(std::uint64_t n_atoms, std::uint64_t n_entries, std::uint64_t n_rows) {
    return TermAtoms::bytes(n_atoms, n_entries) + sizeof(std::uint32_t) * (n_entries + 6 * n_rows) +
           sort_scratch_bytes(n_rows);
  }

 private:
  TermAtoms atoms_;                     ///< in the order in which they were added
  DeviceBuffer<std::uint32_t> d_type_;  ///< the same
  DeviceBuffer<std::uint32_t> d_at_, d_sorted_type_;
  DeviceBuffer<std::uint32_t> d_key_, d_order_;  ///< [2][rows of the largest table]
  DeviceBuffer<unsigned char> d_scratch_;
  std::vector<Table> tables_;
  std::vector<std::uint32_t> h_atom_, h_type_;  ///< until upload()
};

}  // namespace dropmd
