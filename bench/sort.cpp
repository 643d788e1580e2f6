#include "bench/sort.h"

#include <algorithm>
#include <array>

#include "bench/sort_cuda.h"
#include "bench/sort_keys.h"
#include "core/errors.h"
#include "core/parallel_for.h"
#include "core/statistics/median_time.h"
#include "device/device_info.h"
#include "sort/segment_sort.h"

namespace dropmd {

namespace {

constexpr std::string_view kProduction = "dropmd";
constexpr std::string_view kStdSort = "std-sort";

/// The names of sort_methods() in sort/sort_method.cuh, which only nvcc can read.
constexpr std::array<std::string_view, 13> kCudaMethods{kProduction,
                                                        "dropmd-offsets",
                                                        "rank-1",
                                                        "rank-n",
                                                        "rank-lg-n",
                                                        "cub-segmented-sort",
                                                        "cub-segmented-radix-sort",
                                                        "cub-warp-merge-sort",
                                                        "cub-block-radix-sort",
                                                        "bitonic",
                                                        "odd-even-merge",
                                                        "register-bitonic",
                                                        "copy"};

constexpr std::size_t kCpuRepeats = 11;

/// Sorts into `sorted`, as the other methods do.
void std_sort_segments(const Cpu& cpu, const Segments& segments, std::span<const PackedWord> words,
                       std::span<PackedWord> sorted) {
  parallel_for(cpu, static_cast<std::size_t>(segments.count), [&](std::size_t s) {
    const SegmentRange range = segments[static_cast<int>(s)];
    std::copy(words.begin() + range.begin, words.begin() + range.end, sorted.begin() + range.begin);
    std::sort(sorted.begin() + range.begin, sorted.begin() + range.end);
  });
}

std::vector<SortTime> time_sorts_cpu(const Cpu& cpu, const Segments& segments, std::span<const std::string> methods) {
  const std::vector<PackedWord> words = sort_bench_keys(cpu, segments, 0);
  const std::vector<PackedWord> expected = stably_sorted(cpu, segments, words);
  std::vector<PackedWord> sorted(words.size());
  std::vector<SortTime> times;
  const auto time = [&](std::string_view name, const auto& sort) {
    if (std::find(methods.begin(), methods.end(), name) == methods.end()) return;
    std::fill(sorted.begin(), sorted.end(), ~PackedWord{0});
    times.push_back({.method = std::string(name), .time_us = median_microseconds(sort, kCpuRepeats)});
    require_same_words(segments, expected, sorted, std::string(name) + " on the CPU");
  };
  time(kProduction, [&] { sort_segments(cpu, segments, WordSort{.words = words.data(), .sorted = sorted.data()}); });
  time(kStdSort, [&] { std_sort_segments(cpu, segments, words, sorted); });
  return times;
}

/// Returns the median time of a method for the same case.
std::optional<double> time_of(std::span<const SortTime> times, std::string_view method) {
  const auto found = std::find_if(times.begin(), times.end(), [&](const SortTime& t) { return t.method == method; });
  return found == times.end() ? std::nullopt : std::optional(found->time_us);
}

/// Returns the time of the faster of CUB's device sorts; nullopt unless both were timed, since the comparison would
/// otherwise be too favourable.
std::optional<double> better_cub_time(std::span<const SortTime> times) {
  const auto merge = time_of(times, "cub-segmented-sort");
  const auto radix = time_of(times, "cub-segmented-radix-sort");
  return merge && radix ? std::optional(std::min(*merge, *radix)) : std::nullopt;
}

bool runs_on_cpu(std::string_view method) { return method == kProduction || method == kStdSort; }

}  // namespace

std::vector<std::string_view> sort_bench_methods(Backend backend) {
  if (backend == Backend::cpu) return {kProduction, kStdSort};
  std::vector<std::string_view> names(kCudaMethods.begin(), kCudaMethods.end());
  if (backend == Backend::automatic) names.push_back(kStdSort);
  return names;
}

std::vector<SortBenchRow> bench_sort(const SortBenchChoices& choices, std::span<const SortBenchCase> cases,
                                     const std::function<void(const SortBenchRow&)>& show) {
  const Cpu cpu{choices.threads};
  std::string reason;
  std::optional<DeviceInfo> gpu;
  if (choices.backend == Backend::cuda) gpu = require_device(choices.device);
  if (choices.backend == Backend::automatic) gpu = find_device(choices.device, reason);
  std::vector<std::string> methods = choices.methods;
  if (methods.empty())
    for (const std::string_view name : sort_bench_methods(Backend::automatic)) methods.emplace_back(name);
  if (!gpu && std::none_of(methods.begin(), methods.end(), runs_on_cpu))
    throw DeviceError("no usable GPU: " + reason + " (none of the --methods runs on the CPU, where " +
                      std::string(kProduction) + " and " + std::string(kStdSort) + " do)");

  std::vector<SortBenchRow> rows;
  for (const SortBenchCase& shape : cases) {
    if (choices.stop && choices.stop()) break;
    const SortBenchSegments segments(shape);
    const auto add = [&](Backend backend, const std::string& device_name, const std::vector<SortTime>& times) {
      const auto copy = time_of(times, "copy");
      const auto cub = better_cub_time(times);
      const auto over = [](const std::optional<double>& other, double time) {
        return other ? std::optional(*other / time) : std::nullopt;
      };
      for (const SortTime& t : times) {
        rows.push_back({.shape = shape,
                        .longest_length = segments.longest(),
                        .n_keys = segments.view().n_keys,
                        .backend = backend,
                        .device_name = device_name,
                        .method = t.method,
                        .sorts = t.sorts,
                        .time_us = t.time_us,
                        .keys_per_s = segments.view().n_keys / (t.time_us * 1e-6),
                        .graph_node_us = t.graph_node_us,
                        .fraction_of_copy = over(copy, t.time_us),
                        .speedup_over_cub = over(cub, t.time_us)});
        show(rows.back());
      }
    };
    if (gpu) add(Backend::cuda, gpu->name, time_sorts_cuda(choices.device, cpu, segments, methods));
    if (choices.backend != Backend::cuda)
      add(Backend::cpu, "CPU, " + std::to_string(cpu.threads) + (cpu.threads == 1 ? " thread" : " threads"),
          time_sorts_cpu(cpu, segments.view(), methods));
  }
  return rows;
}

}  // namespace dropmd
