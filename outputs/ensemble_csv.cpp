#include "outputs/ensemble_csv.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "core/csv_field.h"
#include "outputs/files/atomic_file.h"
#include "outputs/run_table.h"

namespace dropmd {

namespace {

/// Returns the names of all means, in the order in which the runs have them.
std::vector<std::string> quantities_of(const EnsembleTable& table) {
  std::vector<std::string> names;
  for (const Replica& replica : table.replicas)
    for (const NamedMean& mean : replica.result.means)
      if (std::find(names.begin(), names.end(), mean.name) == names.end()) names.push_back(mean.name);
  return names;
}

std::string number_text(double value) { return std::isnan(value) ? std::string() : fmt::format("{:.17g}", value); }

std::string means_text(const ReplicaResult& result, const std::vector<std::string>& quantities) {
  std::string text;
  for (const std::string& name : quantities) {
    const auto mean = std::find_if(result.means.begin(), result.means.end(),
                                   [&](const NamedMean& candidate) { return candidate.name == name; });
    const MeanWithError value = mean == result.means.end() ? MeanWithError{} : mean->value;
    text += number_text(value.mean) + ',' + number_text(value.error) + ',';
  }
  return text;
}

std::string header_of(const EnsembleTable& table, const std::vector<std::string>& quantities, const Units& units) {
  std::string comment = units_line(units);
  comment.pop_back();  // the line end
  std::string names = "replica,";
  for (const std::string& key : table.keys) names += csv_field(key) + ',';
  names += "seed,end,steps,time,";
  for (const std::string& name : quantities) names += fmt::format("{},{}_error,", name, name);
  return fmt::format("{}, means from step {}\n{}status,message\n", comment, table.means_from, names);
}

std::string row_of(std::size_t number, const Replica& replica, const std::vector<std::string>& quantities) {
  std::string row = fmt::format("{},", number);
  for (const std::string& value : replica.values) row += csv_field(value) + ',';
  const ReplicaResult& result = replica.result;
  return row + fmt::format("{},{},{},{:.17g},{}{},{}\n", replica.seed, word_of(result.state), result.steps, result.time,
                           means_text(result, quantities), static_cast<int>(result.status), csv_field(result.message));
}

}  // namespace

void write_ensemble_csv(const std::filesystem::path& path, const EnsembleTable& table, const Units& units) {
  const std::vector<std::string> quantities = quantities_of(table);
  std::string text = header_of(table, quantities, units);
  for (std::size_t k = 0; k < table.replicas.size(); ++k) text += row_of(k + 1, table.replicas[k], quantities);
  write_atomically(path, /*overwrite=*/true, [&](FileWriter& writer) { writer.write(text); });
}

}  // namespace dropmd
