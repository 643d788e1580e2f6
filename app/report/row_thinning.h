#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace dropmd {

/// Thins the rows of a table to some thousands, so that a plot of them looks like one of all rows: rows are grouped in
/// bins of equal numbers of successive rows, and each bin keeps the rows in which any column has its least or its
/// greatest value. The first and the last row stay, too. Memory does not depend on the number of rows.
class RowThinning {
 public:
  /// Tables with at most `most_rows` rows keep all rows; longer ones keep at most `most_rows`, and at least about half
  /// of that. independent: number of leading columns, such as step and time, that are not looked at.
  RowThinning(std::size_t columns, std::size_t independent, std::size_t most_rows);

  /// row: [columns]; values may be NaN.
  void add(std::span<const double> row);
  /// Number of rows that were added.
  std::uint64_t rows() const { return rows_; }
  /// Returns the rows that stay, column by column: [columns][rows that stay].
  std::vector<std::vector<double>> columns() const;

 private:
  using Row = std::vector<double>;
  struct Bin {
    std::uint64_t rows = 0;   ///< how many rows it stands for
    std::vector<Row> kept{};  ///< those with extremes, and perhaps others
  };
  void reduce(Bin& bin) const;
  void merge_pairs();

  std::size_t columns_, independent_, most_bins_;
  std::uint64_t bin_rows_;  ///< rows of a complete bin
  std::uint64_t rows_ = 0;
  std::vector<Bin> bins_;
  Row first_, last_;
};

}  // namespace dropmd
