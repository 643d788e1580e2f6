#include "app/report/row_thinning.h"

#include <algorithm>
#include <cmath>
#include <iterator>

namespace dropmd {

RowThinning::RowThinning(std::size_t columns, std::size_t independent, std::size_t most_rows)
    : columns_(columns), independent_(std::min(independent, columns)) {
  // A bin keeps up to two rows for each column that is looked at, so bins of that length lose no row.
  bin_rows_ = 2 * std::max<std::size_t>(columns_ - independent_, 1);
  most_bins_ = std::max<std::size_t>(most_rows / bin_rows_, 2);
}

void RowThinning::add(std::span<const double> row) {
  if (bins_.empty() || bins_.back().rows == bin_rows_) {
    if (!bins_.empty()) reduce(bins_.back());
    if (bins_.size() == most_bins_) merge_pairs();
    if (bins_.empty() || bins_.back().rows == bin_rows_) bins_.emplace_back();
  }
  Bin& bin = bins_.back();
  last_.assign(row.begin(), row.end());
  if (rows_++ == 0) first_ = last_;
  bin.kept.push_back(last_);
  ++bin.rows;
  constexpr std::size_t kMostWaiting = 64;  // bounds the memory of a long bin
  if (bin.kept.size() > 2 * (columns_ - independent_) + kMostWaiting) reduce(bin);
}

void RowThinning::reduce(Bin& bin) const {
  if (bin.kept.size() <= 2 * (columns_ - independent_)) return;
  std::vector<bool> stays(bin.kept.size());
  for (std::size_t c = independent_; c < columns_; ++c) {
    std::optional<std::size_t> least, greatest;
    for (std::size_t k = 0; k < bin.kept.size(); ++k) {
      const double value = bin.kept[k][c];
      if (std::isnan(value)) continue;
      if (!least || value < bin.kept[*least][c]) least = k;
      if (!greatest || value > bin.kept[*greatest][c]) greatest = k;
    }
    if (least) stays[*least] = true;
    if (greatest) stays[*greatest] = true;
  }
  std::size_t n = 0;
  for (std::size_t k = 0; k < bin.kept.size(); ++k)
    if (stays[k]) {
      if (n != k) bin.kept[n] = std::move(bin.kept[k]);
      ++n;
    }
  bin.kept.resize(n);
}

void RowThinning::merge_pairs() {
  std::vector<Bin> merged;
  for (std::size_t b = 0; b < bins_.size(); b += 2) {
    Bin bin = std::move(bins_[b]);
    if (b + 1 < bins_.size()) {
      bin.rows += bins_[b + 1].rows;
      std::move(bins_[b + 1].kept.begin(), bins_[b + 1].kept.end(), std::back_inserter(bin.kept));
    }
    reduce(bin);
    merged.push_back(std::move(bin));
  }
  bins_ = std::move(merged);
  bin_rows_ *= 2;
}

std::vector<std::vector<double>> RowThinning::columns() const {
  std::vector<Row> rows;
  for (Bin bin : bins_) {
    reduce(bin);
    rows.insert(rows.end(), bin.kept.begin(), bin.kept.end());
  }

  const auto same = [](const Row& a, const Row& b) {
    return std::equal(a.begin(), a.end(), b.begin(),
                      [](double x, double y) { return x == y || (std::isnan(x) && std::isnan(y)); });
  };
  if (!rows.empty() && !same(rows.front(), first_)) rows.insert(rows.begin(), first_);
  if (!rows.empty() && !same(rows.back(), last_)) rows.push_back(last_);
  std::vector<std::vector<double>> columns(columns_);
  for (const Row& row : rows)
    for (std::size_t c = 0; c < columns_; ++c) columns[c].push_back(row[c]);
  return columns;
}

}  // namespace dropmd
