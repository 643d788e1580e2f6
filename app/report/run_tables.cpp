#include "app/report/run_tables.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <deque>
#include <vector>

#include "app/report/base64.h"
#include "app/report/row_thinning.h"
#include "core/errors.h"
#include "core/run/droplet_rows.h"
#include "inputs/csv_reader.h"

namespace dropmd {

namespace {

constexpr std::size_t kKinds = std::size(kDropletEventNames);

Json column_json(const std::string& name, const std::string& unit, const std::vector<double>& values) {
  const auto known = std::find_if(values.begin(), values.end(), [](double value) { return std::isfinite(value); });
  const double offset = known == values.end() ? 0 : *known;
  std::vector<float> differences;
  differences.reserve(values.size());
  for (const double value : values) differences.push_back(static_cast<float>(value - offset));
  return Json::Object{{"name", name}, {"unit", unit}, {"offset", offset}, {"data", base64_of(differences)}};
}

/// Reads the fields of a row as numbers; if that fails, counts the row as damaged and returns false.
bool read_numbers(CsvReader& reader, std::vector<double>& numbers) {
  numbers.clear();
  for (const std::string_view field : reader.fields()) {
    double number{};
    if (!read_number(field, number)) {
      reader.reject();
      return false;
    }
    numbers.push_back(number);
  }
  return true;
}

Json table_json(const CsvReader& reader, std::uint64_t rows, const std::vector<std::vector<double>>& columns,
                const std::string& table) {
  Json::List list;
  for (std::size_t c = 0; c < columns.size(); ++c)
    list.push_back(
        column_json(reader.names()[c], unit_of_column(reader.names()[c], reader.header(), table), columns[c]));
  return Json::Object{{"header", reader.header()},
                      {"rows", rows},
                      {"skipped", reader.skipped()},
                      {"shown", columns.empty() ? std::uint64_t{0} : std::uint64_t{columns[0].size()}},
                      {"columns", std::move(list)}};
}

/// Returns a field as a number; NaN if it is not one.
double number_of(std::string_view field) {
  double number{};
  return read_number(field, number) ? number : kUnknown;
}

}  // namespace

Json series_json(const std::filesystem::path& path, std::size_t most_rows) {
  CsvReader reader(path);
  constexpr std::size_t kIndependent = 2;  // step and time
  RowThinning thinning(reader.names().size(), kIndependent, most_rows);
  std::vector<double> numbers;
  while (reader.next())
    if (read_numbers(reader, numbers)) thinning.add(numbers);
  return table_json(reader, thinning.rows(), thinning.columns(), path.filename().string());
}

Json events_json(const std::filesystem::path& path, std::size_t most_rows, std::size_t most_listed) {
  CsvReader reader(path, "name");
  constexpr std::string_view kNeeded[] = {"time",   "event",   "molecule",         "name",
                                          "charge", "kinetic", "cluster_molecules"};
  std::array<std::size_t, std::size(kNeeded)> at{};
  for (std::size_t k = 0; k < at.size(); ++k) {
    at[k] = reader.column(kNeeded[k]);
    if (at[k] == reader.names().size())
      throw InputError({path.string(), 2}, "no column " + std::string(kNeeded[k]) + " (expected: events.csv of a run)");
  }
  RowThinning counts(1 + kKinds, 1, most_rows);
  std::array<double, 1 + kKinds> so_far{};  // time, then molecules of each kind
  std::array<std::uint64_t, kKinds> events{};
  std::deque<Json> list;
  while (reader.next()) {
    const auto field = [&](std::size_t k) { return reader.fields()[at[k]]; };
    const auto kind = static_cast<std::size_t>(
        std::find(std::begin(kDropletEventNames), std::end(kDropletEventNames), field(1)) - kDropletEventNames);
    const double time = number_of(field(0)), molecules = number_of(field(6));
    if (kind == kKinds || !std::isfinite(time) || !std::isfinite(molecules)) {
      reader.reject();
      continue;
    }
    so_far[0] = time;
    so_far[1 + kind] += molecules;
    ++events[kind];
    counts.add(so_far);
    list.push_back(Json::Object{{"time", time},
                                {"event", field(1)},
                                {"molecule", number_of(field(2))},
                                {"name", field(3)},
                                {"charge", number_of(field(4))},
                                {"kinetic", number_of(field(5))},
                                {"molecules", molecules}});
    if (list.size() > most_listed) list.pop_front();
  }
  const std::vector<std::vector<double>> columns = counts.columns();
  Json::List shown, totals;
  const std::string time_unit = unit_of_column("time", reader.header(), "events.csv");
  for (std::size_t c = 0; c < columns.size(); ++c) {
    const std::string name(c == 0 ? "time" : kDropletEventNames[c - 1]);
    shown.push_back(column_json(name, c == 0 ? time_unit : "", columns[c]));
    if (c > 0) totals.push_back(Json::Object{{"event", name}, {"events", events[c - 1]}, {"molecules", so_far[c]}});
  }
  return Json::Object{{"header", reader.header()},
                      {"rows", counts.rows()},
                      {"skipped", reader.skipped()},
                      {"shown", std::uint64_t{columns[0].size()}},
                      {"columns", std::move(shown)},
                      {"totals", std::move(totals)},
                      {"energy_unit", unit_of_column("kinetic", reader.header(), "events.csv")},
                      {"charge_unit", unit_of_column("charge", reader.header(), "events.csv")},
                      {"list", Json::List(list.begin(), list.end())}};
}

Json profile_json(const std::filesystem::path& path, std::size_t most_blocks) {
  CsvReader reader(path);
  const std::size_t n = reader.names().size();
  struct Block {
    double step;
    std::vector<std::vector<double>> columns;  // [columns][shells]
  };
  std::vector<Block> blocks;
  std::uint64_t written = 0;
  std::uint64_t stride = 1;  // one of so many blocks is kept
  std::vector<double> numbers;
  Block last{kUnknown, {}};
  std::size_t shells = 0;
  const auto end_block = [&] {
    // A run that is in progress may not have written all shells of its last block.
    if (last.columns.empty() || (shells > 0 && last.columns[0].size() != shells)) return;
    shells = last.columns[0].size();
    if (written++ % stride != 0) return;
    blocks.push_back(last);
    if (blocks.size() < most_blocks) return;
    for (std::size_t b = 1; 2 * b < blocks.size(); ++b) blocks[b] = std::move(blocks[2 * b]);
    blocks.resize((blocks.size() + 1) / 2);
    stride *= 2;
  };
  while (reader.next()) {
    if (!read_numbers(reader, numbers)) continue;
    if (numbers[0] != last.step) {
      end_block();
      last = {numbers[0], std::vector<std::vector<double>>(n)};
    }
    for (std::size_t c = 0; c < n; ++c) last.columns[c].push_back(numbers[c]);
  }
  end_block();
  if (!last.columns.empty() && last.columns[0].size() == shells && (blocks.empty() || blocks.back().step != last.step))
    blocks.push_back(last);
  std::vector<std::vector<double>> columns(n);
  Json::List steps;
  for (const Block& block : blocks) {
    steps.push_back(block.step);
    for (std::size_t c = 0; c < n; ++c)
      columns[c].insert(columns[c].end(), block.columns[c].begin(), block.columns[c].end());
  }
  Json::Object json{{"blocks", std::move(steps)}, {"written", written}, {"shells", std::uint64_t{shells}}};
  Json table = table_json(reader, written * shells, columns, "profile.csv");
  for (Json::Member member : std::get<Json::Object>(table.value())) json.push_back(std::move(member));
  return json;
}

}  // namespace dropmd
