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

/// Where and by what the cases are sorted.
struct SortBenchChoices {
  Backend backend = Backend::automatic;  ///< automatic: the CPU, and the GPU if one is usable
  int device = 0;
  int threads = 1;
  std::vector<std::string> methods{};  ///< names of sort_bench_methods; none: all
  std::function<bool()> stop{};        ///< asked before each case; true: no further ones
};

/// One timed method on one case. The CPU's times are wall times, the GPU's those of its events.
struct SortBenchRow {
  SortBenchCase shape;
  int longest_length = 0;
  int n_keys = 0;
  Backend backend = Backend::cpu;
  std::string device_name;
  std::string method;
  bool sorts = true;   ///< false: it copies, and was checked against its input instead of std::stable_sort
  double time_us = 0;  ///< median
  double keys_per_s = 0;
  std::optional<double> graph_node_us{};     ///< production sort on a GPU: the same as a node of a graph
  std::optional<double> fraction_of_copy{};  ///< GPU: time of a copy of the keys over this time
  std::optional<double> speedup_over_cub{};  ///< GPU: time of the better of CUB's two device sorts over this time
};

/// The names that SortBenchChoices::methods may hold, in the order of the rows: a processor's, or both without
/// repetition (automatic).
std::vector<std::string_view> sort_bench_methods(Backend backend);

/// Times every method that the choices allow on every case. `show` sees the rows of a case as they are done. Throws
/// Error if a method sorts wrongly, DeviceError without a usable GPU for an explicit `cuda`, or if no method runs on
/// the CPU.
std::vector<SortBenchRow> bench_sort(const SortBenchChoices& choices, std::span<const SortBenchCase> cases,
                                     const std::function<void(const SortBenchRow&)>& show);

}  // namespace dropmd
