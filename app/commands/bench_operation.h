#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "app/command.h"
#include "app/json_text.h"
#include "inputs/run_file/run_config.h"

namespace dropmd {

/// One WHAT of `dropmd bench`: a file of its own, and a line in bench_command.cpp.
struct BenchOperation {
  std::string_view name;
  std::vector<std::string_view> own_options;  ///< of all that `bench` has; an error with another operation
  std::vector<std::string_view> examples;     ///< whole command lines; the tests run them
  void (*add_options)(OptionTable& options);  ///< own_options that are no shared ones
  /// choices: as the shared options say; outputs are free.
  ExitStatus (*run)(const GivenOptions& options, const RunConfig& choices, Streams& streams);
  bool takes_file = false;  ///< a FILE may follow the name
};

BenchOperation bench_forces_operation();
BenchOperation bench_map_operation();
BenchOperation bench_sort_operation();
BenchOperation bench_step_operation();

/// The sizes of --atoms; `usual` where it was not given. Throws UsageError for less than 2 atoms, and for more than
/// this machine has memory for.
std::vector<std::size_t> bench_sizes(const GivenOptions& options, std::vector<std::size_t> usual);

/// Name of the GPU of that number, or why there is none.
std::string gpu_text(int device);

/// "dropmd VERSION (COMMIT), GPU ...": what a table begins with.
std::string bench_title(int device);

/// The object of --json: what, device, commit, rows; why rows are missing, if some are.
std::string bench_json(std::string_view what, int device, const Json::List& rows, const std::string& incomplete = {});

}  // namespace dropmd
