#include <algorithm>
#include <cub/device/device_segmented_radix_sort.cuh>
#include <stdexcept>
#include <string>

#include "device/device_info.h"
#include "sort/large_segments.cuh"
#include "sort/segment_sort.cuh"

namespace dropmd {

namespace {

/// Capacity for as many segments of each list as the keys allow.
ClassListsView list_layout(const SortLimits& limits) {
  ClassListsView lists{};
  std::int64_t first = 0;
  for (int list = 0; list < ClassListsView::kLists; ++list) {
    lists.first[list] = first;
    if (list_shortest(list) <= limits.max_length)
      lists.capacity[list] = std::min(limits.max_segments, limits.max_keys / list_shortest(list));
    first += lists.capacity[list];
  }
  return lists;
}

/// Returns the number of entries of all lists.
std::size_t entries_of(const ClassListsView& lists) {
  return static_cast<std::size_t>(lists.first[ClassListsView::kLarge] + lists.capacity[ClassListsView::kLarge]);
}

}  // namespace

template <class Element>
void cub_sort_large(const Cuda& cuda, const SortWorkspace& workspace, void* storage, std::size_t& bytes, int n_keys) {
  const LargeSegmentsView large = workspace.large_segments();
  DROPMD_CUDA(cub::DeviceSegmentedRadixSort::SortKeys(storage, bytes, workspace.unsorted<Element>(),
                                                      workspace.sorted<Element>(), n_keys, large.capacity, large.begin,
                                                      large.end, 0, static_cast<int>(sizeof(Element) * 8), cuda.get()),
              "sorting large segments");
}

template void cub_sort_large<PackedWord>(const Cuda&, const SortWorkspace&, void*, std::size_t&, int);
template void cub_sort_large<RealElement>(const Cuda&, const SortWorkspace&, void*, std::size_t&, int);

SortWorkspace::SortWorkspace(const Cuda& cuda, const SortLimits& limits)
    : limits_(limits),
      multiprocessors_(require_device(cuda.stream.device()).multiprocessors),
      errors_(cuda.stream),
      lists_(list_layout(limits)),
      entries_(cuda.stream),
      counts_(cuda.stream),
      large_(cuda.stream),
      unsorted_(cuda.stream),
      sorted_(cuda.stream),
      cub_storage_(cuda.stream) {
  if (limits.max_segments < 0 || limits.max_keys < 0 || limits.max_length < 0)
    throw std::invalid_argument("SortLimits: a number is negative");
  entries_.resize(entries_of(lists_));
  counts_.resize(ClassListsView::kLists);
  lists_.entries = entries_.data();
  lists_.counts = counts_.data();
  if (limits.max_length <= kMaxRegisterLength) return;
  large_.resize(2 * static_cast<std::size_t>(lists_.capacity[ClassListsView::kLarge]));
  unsorted_.resize(static_cast<std::size_t>(limits.max_keys));
  sorted_.resize(static_cast<std::size_t>(limits.max_keys));
  std::size_t words = 0;
  std::size_t reals = 0;
  cub_sort_large<PackedWord>(cuda, *this, nullptr, words, limits.max_keys);
  cub_sort_large<RealElement>(cuda, *this, nullptr, reals, limits.max_keys);
  cub_storage_.resize(std::max(words, reals));
}

std::uint64_t SortWorkspace::list_bytes(const SortLimits& limits) {
  const ClassListsView lists = list_layout(limits);
  const auto n_large = static_cast<std::uint64_t>(lists.capacity[ClassListsView::kLarge]);
  return sizeof(ListedSegment) * entries_of(lists) + sizeof(int) * (ClassListsView::kLists + 2 * n_large) +
         sizeof(unsigned long long) + kCubAlignmentBytes;
}

void SortWorkspace::check() {
  const auto fault = errors_.read();
  if (!fault) return;
  errors_.clear();
  throw InputError(fault_text(static_cast<SegmentFault>(fault->code), fault->index));
}

void SortWorkspace::require(const Segments& segments) const {
  require_possible(segments);
  if (segments.count > limits_.max_segments || segments.n_keys > limits_.max_keys)
    throw std::invalid_argument("sort_segments: " + std::to_string(segments.count) + " segments of " +
                                std::to_string(segments.n_keys) + " keys exceed the workspace's limits of " +
                                std::to_string(limits_.max_segments) + " and " + std::to_string(limits_.max_keys));
}

FirstPassRules SortWorkspace::first_pass(const Cuda& cuda, int longest) {
  if (limits_.max_length > kMaxFirstPassLength)
    DROPMD_CUDA(cudaMemsetAsync(counts_.data(), 0, counts_.size() * sizeof(int), cuda.get()), "clearing size classes");
  if (longest <= limits_.max_length) return {longest, SegmentFault::not_packable, errors_.view(), lists_};
  return {limits_.max_length, SegmentFault::too_long, errors_.view(), lists_};
}

LargeSegmentsView SortWorkspace::large_segments() const {
  const int capacity = lists_.capacity[ClassListsView::kLarge];
  return {large_.data(), large_.data() + capacity, capacity};
}

}  // namespace dropmd
