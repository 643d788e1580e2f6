#include "engine/ensemble/replica_means.h"

#include <cmath>
#include <string>
#include <string_view>

#include "inputs/csv_reader.h"

namespace dropmd {

namespace {

/// Whether a column has a mean: steps and times have none, and the position of the droplet is not a property of it.
bool is_quantity(std::string_view name) {
  return name != "step" && name != "time" && name != "x" && name != "y" && name != "z";
}

void add_means(const std::filesystem::path& file, std::string_view prefix, std::int64_t from,
               std::vector<NamedMean>& means) {
  if (!std::filesystem::exists(file)) return;
  CsvReader reader(file);
  const std::size_t step = reader.column("step");
  std::vector<std::vector<double>> columns(reader.names().size());
  while (reader.next()) {
    double at{};
    if (step >= columns.size() || !read_number(reader.fields()[step], at) || at < static_cast<double>(from)) continue;
    for (std::size_t c = 0; c < columns.size(); ++c)
      if (double value{}; read_number(reader.fields()[c], value) && std::isfinite(value)) columns[c].push_back(value);
  }
  for (std::size_t c = 0; c < columns.size(); ++c)
    if (is_quantity(reader.names()[c]) && !columns[c].empty())
      means.push_back({std::string(prefix) + reader.names()[c], mean_with_error(columns[c])});
}

}  // namespace

std::vector<NamedMean> replica_means(const std::filesystem::path& folder, std::int64_t from) {
  std::vector<NamedMean> means;
  add_means(folder / "energy.csv", "", from, means);
  add_means(folder / "droplet.csv", "droplet_", from, means);
  return means;
}

}  // namespace dropmd
