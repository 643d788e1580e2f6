#include "inputs/ensemble_file.h"

#include <algorithm>
#include <optional>
#include <string_view>
#include <utility>

#include "core/csv_field.h"
#include "core/errors.h"
#include "inputs/csv_reader.h"
#include "inputs/whole_number.h"

namespace dropmd {

namespace {

constexpr std::string_view kFrom = "means from step ";
constexpr const char* kRemedy =
    " (expected: an ensemble.csv that dropmd ensemble wrote; without a copy of it, start again in another folder)";

/// Reads the rows of the file, and finds its columns by their names.
class EnsembleRows {
 public:
  explicit EnsembleRows(const std::filesystem::path& path) : path_(path), reader_(path) {
    const std::vector<std::string>& names = reader_.names();
    seed_ = column("seed"), end_ = column("end"), steps_ = column("steps"), time_ = column("time");
    status_ = column("status"), message_ = column("message");
    const bool in_order = names.front() == "replica" && seed_ + 1 == end_ && end_ + 1 == steps_ &&
                          steps_ + 1 == time_ && status_ + 1 == message_ && message_ + 1 == names.size() &&
                          (status_ - time_) % 2 == 1;
    if (!in_order) fail("its columns are not those of an ensemble");
  }

  ReadEnsemble read() {
    ReadEnsemble ensemble;
    ensemble.header = reader_.header();
    const std::vector<std::string>& names = reader_.names();
    ensemble.table.keys.assign(names.begin() + 1, names.begin() + static_cast<std::ptrdiff_t>(seed_));
    const std::size_t from = ensemble.header.find(kFrom);
    if (from != std::string::npos)
      ensemble.table.means_from =
          whole_number<std::int64_t>(std::string_view(ensemble.header).substr(from + kFrom.size())).value_or(0);
    while (reader_.next()) {
      ensemble.table.replicas.push_back(row());
      if (whole<std::size_t>(0) != ensemble.table.replicas.size()) fail("its rows are not in the order of the runs");
    }
    if (reader_.skipped() > 0 || reader_.cut_row() || ensemble.table.replicas.empty()) fail("its rows are damaged");
    return ensemble;
  }

 private:
  [[noreturn]] void fail(const std::string& what) const { throw InputError({path_.string()}, what); }

  std::size_t column(std::string_view name) const {
    const std::size_t at = reader_.column(name);
    if (at == reader_.names().size()) fail("there is no column '" + std::string(name) + "'");
    return at;
  }

  [[noreturn]] void fail_at(std::size_t at) const {
    fail("'" + std::string(reader_.fields()[at]) + "' is not a valid value of '" + reader_.names()[at] + "'");
  }
  template <class Integer>
  Integer whole(std::size_t at) const {
    const std::optional<Integer> value = whole_number<Integer>(reader_.fields()[at]);
    if (!value) fail_at(at);
    return *value;
  }

  Replica row() const {
    const auto fields = reader_.fields();
    Replica replica;
    for (std::size_t k = 1; k < seed_; ++k) replica.values.push_back(text_of_csv_field(fields[k]));
    replica.seed = whole<std::uint64_t>(seed_);
    ReplicaResult& result = replica.result;
    const auto* const word = std::find(kReplicaStateWords.begin(), kReplicaStateWords.end(), fields[end_]);
    if (word == kReplicaStateWords.end()) fail("'" + std::string(fields[end_]) + "' is not a valid value of 'end'");
    result.state = static_cast<ReplicaState>(word - kReplicaStateWords.begin());
    result.steps = whole<std::int64_t>(steps_);
    if (!read_number(fields[time_], result.time)) fail_at(time_);
    for (std::size_t k = time_ + 1; k + 1 < status_; k += 2) {
      NamedMean mean{reader_.names()[k]};
      if (!read_number(fields[k], mean.value.mean)) continue;  // not known
      read_number(fields[k + 1], mean.value.error);
      result.means.push_back(std::move(mean));
    }
    result.status = static_cast<ExitStatus>(whole<int>(status_));
    result.message = text_of_csv_field(fields[message_]);
    return replica;
  }

  std::filesystem::path path_;
  CsvReader reader_;
  std::size_t seed_, end_, steps_, time_, status_, message_;
};

}  // namespace

ReadEnsemble read_ensemble_file(const std::filesystem::path& path) {
  try {
    return EnsembleRows(path).read();
  } catch (const MissingInput&) {
    throw;
  } catch (const InputError& error) {
    throw InputError(error.what() + std::string(kRemedy));
  }
}

}  // namespace dropmd
