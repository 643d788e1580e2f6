#pragma once

#include <cstddef>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "app/command.h"
#include "app/json_text.h"
#include "inputs/run_file/run_config.h"

namespace dropmd {

/// A WHAT of `dropmd bench`: it has its own file, and a line in bench_command.cpp.
struct BenchOperation {
  std::string_view name;
  /// A subset of the options of `bench`; they are errors with operations that do not list them.
  std::vector<std::string_view> own_options;
  std::vector<std::string_view> examples;     ///< whole command lines; the tests run them
  void (*add_options)(OptionTable& options);  ///< adds those of own_options that are not shared
  /// choices: as the shared options set them. The outputs have been checked.
  ExitStatus (*run)(const GivenOptions& options, const RunConfig& choices, Streams& streams);
  bool takes_file = false;  ///< whether a FILE may follow the name
};

BenchOperation bench_forces_operation();
BenchOperation bench_map_operation();
BenchOperation bench_mesh_operation();
BenchOperation bench_sort_operation();
BenchOperation bench_step_operation();

/// Returns the sizes of --atoms, or `usual`. Throws UsageError for fewer than 2 atoms, and for more than this machine's
/// memory can hold.
std::vector<std::size_t> bench_sizes(const GivenOptions& options, std::vector<std::size_t> usual);

/// What an operation that takes a file times.
struct BenchSubject {
  std::optional<RunConfig> file;   ///< the run of the FILE after the operation's name, if there is one
  std::vector<std::size_t> sizes;  ///< else benchmark droplets of these numbers of atoms
};

/// Returns the subject; the shared options override the file. usual: sizes without --atoms. of_droplets: the options
/// besides --atoms that say what to time. Throws UsageError for one of these beside a file, and as bench_sizes() does.
BenchSubject bench_subject(const GivenOptions& options, std::vector<std::size_t> usual,
                           std::initializer_list<const char*> of_droplets, Streams& streams);

/// Returns the name of the GPU with that number, or why there is none.
std::string gpu_text(int device);

/// Returns "dropmd VERSION (COMMIT), GPU ...", the title of tables.
std::string bench_title(int device);

/// Returns the object of --json: what, device, commit, rows and, if rows are missing, the reason.
std::string bench_json(std::string_view what, int device, const Json::List& rows, const std::string& incomplete = {});

}  // namespace dropmd
