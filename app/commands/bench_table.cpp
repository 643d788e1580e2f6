#include "app/commands/bench_table.h"

#include <ostream>
#include <utility>

#include "app/commands/bench_operation.h"
#include "app/shared_options.h"

namespace dropmd {

BenchTable::BenchTable(std::string_view what, int device, const std::string& heading, const GivenOptions& options,
                       Streams& streams)
    : what_(what),
      device_(device),
      options_(options),
      streams_(streams),
      live_(!options.has("json") && !options.has("output")),
      text_(bench_title(device) + heading) {}

void BenchTable::add(const std::string& line, Json row) {
  text_ += line;
  rows_.push_back(std::move(row));
  if (live_) streams_.out << std::exchange(text_, std::string()) << std::flush;
}

void BenchTable::finish() {
  if (live_)
    streams_.out << std::exchange(text_, std::string()) << std::flush;
  else
    write_result(options_, streams_, options_.has("json") ? bench_json(what_, device_, rows_) : text_);
}

}  // namespace dropmd
