#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "bench/sort_case.h"
#include "core/run/choices.h"

namespace dropmd {

/// Where the cases are sorted, and by which methods.
struct SortBenchChoices {
  Backend backend = Backend::automatic;  ///< automatic: the CPU, and the GPU if one is usable
  int device = 0;
  int threads = 1;
  std::vector<std::string> methods{};  ///< names of sort_bench_methods(); empty: all
  std::function<bool()> stop{};        ///< is called before each case; true ends the benchmark
};

/// A method, timed for one case. The CPU's times are wall times, the GPU's those of events.
struct SortBenchRow {
  SortBenchCase shape;
  int longest_length = 0;
  int n_keys = 0;
  Backend backend = Backend::cpu;
  std::string device_name;
  std::string method;
  /// False: it only copies, and was compared with its input instead of std::stable_sort.
  bool sorts = true;
  double time_us = 0;  ///< median
  double keys_per_s = 0;
  std::optional<double> graph_node_us{};     ///< production sort on a GPU: the same as a node of a graph
  std::optional<double> fraction_of_copy{};  ///< GPU: time of a copy of the keys over this time
  std::optional<double> speedup_over_cub{};  ///< GPU: time of the better of CUB's two device sorts over this time
};

/// Returns the names that SortBenchChoices::methods may contain, in the order of the rows: those of a processor, or of
/// both without repetition (automatic).
std::vector<std::string_view> sort_bench_methods(Backend backend);

/// Times every method that the choices allow for every case. `show` receives the rows of a case when they are complete.
/// Throws Error if a method sorts incorrectly, and DeviceError for an explicit `cuda` without a usable GPU or if no
/// method runs on the CPU.
std::vector<SortBenchRow> bench_sort(const SortBenchChoices& choices, std::span<const SortBenchCase> cases,
                                     const std::function<void(const SortBenchRow&)>& show);

}  // namespace dropmd
