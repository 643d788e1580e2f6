#include "bench/sort_keys.h"

#include <fmt/core.h>

#include <algorithm>

#include "core/errors.h"
#include "core/parallel_for.h"

namespace dropmd {

namespace {

/// Calls body(range) for each segment, on all threads.
template <class Body>
void for_each_segment(const Cpu& cpu, const Segments& segments, const Body& body) {
  parallel_for(cpu, static_cast<std::size_t>(segments.count),
               [&](std::size_t s) { body(segments[static_cast<int>(s)]); });
}

}  // namespace

std::vector<PackedWord> sort_bench_keys(const Cpu& cpu, const Segments& segments, std::uint32_t buffer) {
  std::vector<PackedWord> words(static_cast<std::size_t>(segments.n_keys));
  for_each_segment(cpu, segments, [&](SegmentRange range) {
    for (int i = range.begin; i < range.end; ++i)
      words[static_cast<std::size_t>(i)] = sort_bench_key(buffer, i, i - range.begin);
  });
  return words;
}

std::vector<PackedWord> stably_sorted(const Cpu& cpu, const Segments& segments, std::vector<PackedWord> words) {
  for_each_segment(cpu, segments, [&](SegmentRange range) {
    std::stable_sort(words.begin() + range.begin, words.begin() + range.end);
  });
  return words;
}

void require_same_words(const Segments& segments, std::span<const PackedWord> expected,
                        std::span<const PackedWord> found, const std::string& method) {
  const auto wrong = std::mismatch(expected.begin(), expected.end(), found.begin(), found.end());
  if (wrong.first == expected.end() && wrong.second == found.end()) return;
  if (wrong.first == expected.end() || wrong.second == found.end())
    throw Error(ExitStatus::out_of_tolerance,
                fmt::format("bench sort: {} gives {} keys instead of {}", method, found.size(), expected.size()));
  const auto place = static_cast<int>(wrong.first - expected.begin());
  int s = 0;
  while (segments[s].end <= place) ++s;
  throw Error(ExitStatus::out_of_tolerance,
              fmt::format("bench sort: {} is wrong: segment {} of {} keys has {:#010x} at place {} instead of {:#010x}",
                          method, s, segments[s].length(), *wrong.second, place - segments[s].begin, *wrong.first));
}

}  // namespace dropmd
