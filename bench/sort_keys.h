#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "core/execution.h"
#include "core/philox.h"
#include "sort/element.h"
#include "sort/segments.h"

/// The keys that `dropmd bench sort` sorts, and the result with which every method is compared.
namespace dropmd {

/// Returns the key at `position` of the whole array and `index` of its segment: random 16 bits above the index.
/// `buffer` selects different arrays.
DROPMD_HOST_DEVICE inline PackedWord sort_bench_key(std::uint32_t buffer, int position, int index) {
  const auto words =
      random_words({.seed = 1, .purpose = RandomPurpose::generate}, static_cast<std::uint64_t>(position), buffer);
  return pack_word(words[0] >> 16, static_cast<std::uint32_t>(index));
}

/// Returns the keys, [segments.n_keys].
std::vector<PackedWord> sort_bench_keys(const Cpu& cpu, const Segments& segments, std::uint32_t buffer);

/// Returns the words with each segment sorted by std::stable_sort.
std::vector<PackedWord> stably_sorted(const Cpu& cpu, const Segments& segments, std::vector<PackedWord> words);

/// Throws Error (out_of_tolerance), with the method and the first wrong key and its segment, unless found == expected.
/// Both: [segments.n_keys].
void require_same_words(const Segments& segments, std::span<const PackedWord> expected,
                        std::span<const PackedWord> found, const std::string& method);

}  // namespace dropmd
