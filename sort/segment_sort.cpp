#include "sort/segment_sort.h"

#include <algorithm>
#include <array>
#include <climits>
#include <cstring>
#include <memory>
#include <span>
#include <vector>

#include "core/errors.h"
#include "core/ordered_sum.h"
#include "core/parallel_for.h"
#include "sort/column_sort.h"
#include "sort/size_class.h"

namespace dropmd {

namespace {

/// Number of segments that are ordered by length together: enough for batches of similar lengths, and few enough that
/// their keys stay in a core's second-level cache.
constexpr int kChunk = 512;

constexpr int kNoSegment = INT_MAX;

/// Copies a row by blocks, the last of which overlaps the previous one: rows of a batch have about equally many blocks,
/// so branches are predicted, unlike those of memcpy.
void copy_row(const PackedWord* from, int n, PackedWord* to) {
  constexpr std::size_t kBytes = kColumnBlock * sizeof *to;
  if (n < kColumnBlock) {
    std::copy(from, from + n, to);
    return;
  }
  for (int i = 0; i + kColumnBlock <= n; i += kColumnBlock) std::memcpy(to + i, from + i, kBytes);
  std::memcpy(to + n - kColumnBlock, from + n - kColumnBlock, kBytes);
}

template <class Element>
void store_permutation(const Element* row, SegmentRange range, int* permutation) {
  for (int i = 0; i < range.length(); ++i)
    permutation[range.begin + i] = range.begin + static_cast<int>(index_of(row[i]));
}

/// Stores the outputs of packed words. Arrays: WordSort or PackedSort.
template <class Arrays>
void store_words(const Arrays& arrays, SegmentRange range, const PackedWord* row) {
  if (arrays.sorted != nullptr) copy_row(row, range.length(), arrays.sorted + range.begin);
  if (arrays.permutation != nullptr) store_permutation(row, range, arrays.permutation);
}

/// How elements are loaded and stored for each kind of sort: a segment's row of elements is loaded, sorted and stored.
struct WordRows {
  using Element = PackedWord;
  static constexpr int kMaxLength = INT_MAX;
  const WordSort& arrays;

  void load(int, SegmentRange range, PackedWord* row) const {
    copy_row(arrays.words + range.begin, range.length(), row);
  }
  void store(SegmentRange range, const PackedWord* row) const { store_words(arrays, range, row); }
};

struct PackedRows {
  using Element = PackedWord;
  static constexpr int kMaxLength = kMaxPackedLength;
  const PackedSort& arrays;

  void load(int segment, SegmentRange range, PackedWord* row) const {
    FiniteRange values;
    for (int i = range.begin; i < range.end; ++i) values.add(arrays.values[i]);
    const Quantizer quantize(values);
    for (int i = 0; i < range.length(); ++i)
      row[i] = pack_word(quantize(arrays.values[range.begin + i]), static_cast<std::uint32_t>(i));
    if (arrays.quantization != nullptr) arrays.quantization[segment] = quantization_of(values);
  }
  void store(SegmentRange range, const PackedWord* row) const { store_words(arrays, range, row); }
};

struct RealRows {
  using Element = RealElement;
  static constexpr int kMaxLength = INT_MAX;
  const RealSort& arrays;

  void load(int, SegmentRange range, RealElement* row) const {
    for (int i = 0; i < range.length(); ++i)
      row[i] = real_element(arrays.values[range.begin + i], static_cast<std::uint32_t>(i));
  }
  void store(SegmentRange range, const RealElement* row) const {
    const int n = range.length();
    if (arrays.sorted != nullptr)
      for (int i = 0; i < n; ++i) arrays.sorted[range.begin + i] = real_of(row[i]);
    if (arrays.permutation != nullptr) store_permutation(row, range, arrays.permutation);
  }
};

template <class Rows>
SegmentFault fault_of_segment(const Segments& segments, int s) {
  const SegmentFault fault = fault_of(segments[s], segments.n_keys, Rows::kMaxLength);
  return fault == SegmentFault::too_long ? SegmentFault::not_packable : fault;  // the only limit that Rows have
}

/// The memory of a thread.
template <class Element>
struct Scratch {
  static constexpr int kLanes = Column<Element>::kLanes;
  std::array<Column<Element>, kMaxRegisterLength> columns;
  std::array<Element, std::size_t{kMaxRegisterLength} * kLanes> rows;
  std::vector<Element> long_row;  ///< [longest segment], if one is longer than kMaxRegisterLength
  std::array<int, kChunk> order;
};

constexpr int column_blocks(int length) { return (length + kColumnBlock - 1) / kColumnBlock; }

/// Sorts up to kLanes segments at once, one per lane; none may be longer than kMaxRegisterLength.
template <class Rows>
void sort_batch(const Rows& rows, const Segments& segments, std::span<const int> batch,
                Scratch<typename Rows::Element>& scratch) {
  using Element = typename Rows::Element;
  int longest = 0;
  for (const int s : batch) longest = std::max(longest, segments[s].length());
  const int n = kColumnBlock * column_blocks(longest);
  for (std::size_t lane = 0; lane < batch.size(); ++lane) {
    Element* row = scratch.rows.data() + lane * static_cast<std::size_t>(n);
    const SegmentRange range = segments[batch[lane]];
    // Writes whole blocks of padding before the keys are copied.
    for (int i = range.length() / kColumnBlock * kColumnBlock; i < n; i += kColumnBlock)
      std::memset(row + i, 0xFF, kColumnBlock * sizeof(Element));
    rows.load(batch[lane], range, row);
  }
  std::fill(scratch.rows.data() + batch.size() * static_cast<std::size_t>(n),
            scratch.rows.data() + static_cast<std::size_t>(Scratch<Element>::kLanes * n), Element{0});
  rows_to_columns(scratch.rows.data(), n, scratch.columns.data());
  sort_columns(scratch.columns.data(), n);
  columns_to_rows(scratch.columns.data(), n, scratch.rows.data());
  for (std::size_t lane = 0; lane < batch.size(); ++lane)
    rows.store(segments[batch[lane]], scratch.rows.data() + lane * static_cast<std::size_t>(n));
}

template <class Rows>
void sort_long(const Rows& rows, const Segments& segments, int s, Scratch<typename Rows::Element>& scratch) {
  const SegmentRange range = segments[s];
  auto* row = scratch.long_row.data();
  rows.load(s, range, row);
  std::sort(row, row + range.length());
  rows.store(range, row);
}

/// Sorts the segments [first, last), at most kChunk.
template <class Rows>
void sort_chunk(const Rows& rows, const Segments& segments, int first, int last,
                Scratch<typename Rows::Element>& scratch) {
  constexpr int kGroups = column_blocks(kMaxRegisterLength) + 1;  // by number of column blocks
  std::array<int, kGroups + 1> place{};
  std::array<std::int16_t, kChunk> group{};
  for (int s = first; s < last; ++s) {
    auto& g = group[static_cast<std::size_t>(s - first)];
    g = -1;
    if (fault_of_segment<Rows>(segments, s) != SegmentFault::none) continue;
    const int length = segments[s].length();
    if (length > kMaxRegisterLength) {
      sort_long(rows, segments, s, scratch);
      continue;
    }
    g = static_cast<std::int16_t>(column_blocks(length));
    ++place[static_cast<std::size_t>(g) + 1];
  }
  for (std::size_t g = 0; g < kGroups; ++g) place[g + 1] += place[g];
  const auto count = static_cast<std::size_t>(place[kGroups]);
  for (int s = first; s < last; ++s) {
    const int g = group[static_cast<std::size_t>(s - first)];
    if (g >= 0) scratch.order[static_cast<std::size_t>(place[static_cast<std::size_t>(g)]++)] = s;
  }
  constexpr std::size_t kLanes = Scratch<typename Rows::Element>::kLanes;
  const std::span<const int> order(scratch.order.data(), count);
  for (std::size_t i = 0; i < count; i += kLanes)
    sort_batch(rows, segments, order.subspan(i, std::min(kLanes, count - i)), scratch);
}

/// The result of a scan of the segments.
struct Survey {
  int first_faulty = kNoSegment;
  int longest = 0;  ///< of the valid ones

  Survey& operator+=(const Survey& more) {
    first_faulty = std::min(first_faulty, more.first_faulty);
    longest = std::max(longest, more.longest);
    return *this;
  }
};

template <class Rows>
Survey survey_segments(Cpu cpu, const Segments& segments) {
  return ordered_sum<Survey>(cpu, static_cast<std::size_t>(segments.count), [&](std::size_t number) {
    const auto s = static_cast<int>(number);
    const bool faulty = fault_of_segment<Rows>(segments, s) != SegmentFault::none;
    return faulty ? Survey{.first_faulty = s} : Survey{.longest = segments[s].length()};
  });
}

template <class Rows>
void sort_rows(const Cpu& cpu, const Segments& segments, const Rows& rows) {
  using Element = typename Rows::Element;
  require_possible(segments);
  if (segments.count == 0) return;

  const int wanted = std::max(1, cpu.threads);
  const Survey survey = survey_segments<Rows>(cpu, segments);
  const int chunk = std::clamp((segments.count - 1) / (4 * wanted) + 1, Scratch<Element>::kLanes, kChunk);
  const int n_chunks = (segments.count - 1) / chunk + 1;
  const auto make_scratch = [&] {
    auto scratch = std::make_unique_for_overwrite<Scratch<Element>>();
    if (survey.longest > kMaxRegisterLength) scratch->long_row.resize(static_cast<std::size_t>(survey.longest));
    return scratch;
  };
  parallel_for_with(cpu, static_cast<std::size_t>(n_chunks), 1, make_scratch, [&](auto& scratch, std::size_t c) {
    const int first = static_cast<int>(c) * chunk;
    const int last = first + std::min(chunk, segments.count - first);
    sort_chunk(rows, segments, first, last, *scratch);
  });
  if (survey.first_faulty != kNoSegment)
    throw InputError(fault_text(fault_of_segment<Rows>(segments, survey.first_faulty), survey.first_faulty));
}

}  // namespace

void sort_segments(const Cpu& cpu, const Segments& segments, const WordSort& arrays) {
  sort_rows(cpu, segments, WordRows{arrays});
}
void sort_segments(const Cpu& cpu, const Segments& segments, const PackedSort& arrays) {
  sort_rows(cpu, segments, PackedRows{arrays});
}
void sort_segments(const Cpu& cpu, const Segments& segments, const RealSort& arrays) {
  sort_rows(cpu, segments, RealRows{arrays});
}

}  // namespace dropmd
