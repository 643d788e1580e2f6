#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/errors.h"
#include "device/device_info.h"
#include "sort/segment_sort.cuh"
#include "tests/support/sort_data.h"

/// Sorts on a GPU for tests: outputs lie between guards, are poisoned before, and are compared with std::stable_sort
/// and, byte by byte, with the CPU's sorts.
namespace dropmd::device_sorts {

template <class T>
inline bool same_bytes(std::span<const T> a, std::span<const T> b) {
  return a.size() == b.size() && (a.empty() || std::memcmp(a.data(), b.data(), a.size_bytes()) == 0);
}

/// One kind of sort: its input, its output, and the order that it documents. `comes_before` is the order of the output;
/// `is_of` tells whether `sorted` can come from the value at `index` of its segment.
struct Words {
  using Value = PackedWord;
  using Arrays = WordSort;
  static constexpr auto kMake = make_words;
  static std::vector<int> expected(std::span<const int> offsets, const std::vector<Value>& values) {
    return stable_permutation(offsets, values, std::less<>{});
  }
  static bool comes_before(const Value& a, const Value& b) { return a < b; }
  static bool is_of(const Value& value, std::uint32_t index, const Value& sorted, const Quantization&) {
    return sorted == value && index_of(sorted) == index;
  }
  static Arrays arrays(const Value* values, Value* sorted, int* permutation, Quantization*) {
    return {values, sorted, permutation};
  }
};

struct Reals {
  using Value = float;
  using Arrays = RealSort;
  static constexpr auto kMake = make_reals;
  static std::vector<int> expected(std::span<const int> offsets, const std::vector<Value>& values) {
    return stable_permutation(offsets, values, real_less);
  }
  static bool comes_before(const Value& a, const Value& b) { return real_less(a, b); }
  static bool is_of(const Value& value, std::uint32_t, const Value& sorted, const Quantization&) {
    return std::isnan(value) ? std::isnan(sorted) : same_bytes<Value>({&value, 1}, {&sorted, 1});
  }
  static Arrays arrays(const Value* values, Value* sorted, int* permutation, Quantization*) {
    return {values, sorted, permutation};
  }
};

struct PackedReals {
  using Value = float;
  using Arrays = PackedSort;
  static constexpr auto kMake = make_reals;
  static std::vector<int> expected(std::span<const int> offsets, const std::vector<Value>& values) {
    std::vector<std::uint32_t> codes(values.size());
    for (std::size_t s = 0; s + 1 < offsets.size(); ++s) {
      FiniteRange range;
      for (int k = offsets[s]; k < offsets[s + 1]; ++k) range.add(values[static_cast<std::size_t>(k)]);
      const Quantizer quantize(range);
      for (int k = offsets[s]; k < offsets[s + 1]; ++k)
        codes[static_cast<std::size_t>(k)] = quantize(values[static_cast<std::size_t>(k)]);
    }
    return stable_permutation(offsets, codes, std::less<>{});
  }
  static PackedWord word_of(const Value& sorted) {
    PackedWord word = 0;
    std::memcpy(&word, &sorted, sizeof word);
    return word;
  }
  static bool comes_before(const Value& a, const Value& b) { return code_of(word_of(a)) < code_of(word_of(b)); }
  static bool is_of(const Value& value, std::uint32_t index, const Value& sorted, const Quantization& quantization) {
    const PackedWord word = word_of(sorted);
    const auto code = static_cast<double>(code_of(word));
    if (index_of(word) != index) return false;
    if (!std::isfinite(value)) return code == (value < 0 ? 0 : kLargestCode);
    const double quantum = quantization.quantum;
    const double error = static_cast<double>(value) - quantization.lowest - code * quantum;  // rounded once
    return std::abs(error) <= quantum / 2 * (1 + 1e-9);
  }
  static Arrays arrays(const Value* values, float* sorted, int* permutation, Quantization* quantization) {
    return {values, reinterpret_cast<PackedWord*>(sorted), permutation, quantization};
  }
};

/// Outputs between guards, and the message for the first faulty segment, if any.
template <class Kind>
struct Outputs {
  GuardedArray<typename Kind::Value> sorted;
  GuardedArray<int> permutation;
  GuardedArray<Quantization> quantization;
  std::string fault;

  explicit Outputs(const RaggedArrays<typename Kind::Value>& input)
      : sorted(input.values.size()), permutation(input.values.size()), quantization(input.patterns.size()) {}
};

/// The outputs that a sort is given; the others are null.
struct Wanted {
  bool sorted = true;
  bool permutation = true;
  bool quantization = true;
};

/// One sort on the device, which can be enqueued any number of times.
template <class Kind>
class DeviceSort {
 public:
  using Value = typename Kind::Value;

  DeviceSort(const Stream& stream, const RaggedArrays<Value>& input, int max_length, bool uniform, bool in_place)
      : stream_(stream),
        clean_(input),
        uniform_length_(uniform ? input.offsets[1] : -1),
        d_offsets_(stream),
        d_values_(stream),
        d_sorted_(stream),
        d_permutation_(stream),
        d_quantization_(stream),
        workspace_({stream}, {input.count(), input.n_keys(), max_length}) {
    auto sorted = clean_.sorted;
    if (in_place) std::copy(input.values.begin(), input.values.end(), sorted.values().begin());
    d_offsets_.upload(input.offsets);
    d_values_.upload(input.values);
    d_sorted_.upload(sorted.whole());
    d_permutation_.upload(clean_.permutation.whole());
    d_quantization_.upload(clean_.quantization.whole());
    values_ = in_place ? sorted_values() : d_values_.data();
    stream.synchronize("preparing a test");
  }

  void enqueue(Wanted wanted = {}) {
    const auto n_keys = static_cast<int>(clean_.sorted.values().size());
    const auto count = static_cast<int>(clean_.quantization.values().size());
    const auto segments = uniform_length_ >= 0 ? Segments::uniform(count, uniform_length_)
                                               : Segments::ragged(d_offsets_.data(), count, n_keys);
    sort_segments({stream_}, segments,
                  Kind::arrays(values_, wanted.sorted ? sorted_values() : nullptr,
                               wanted.permutation ? d_permutation_.data() + kGuard : nullptr,
                               wanted.quantization ? d_quantization_.data() + kGuard : nullptr),
                  workspace_);
  }

  /// Poisons the outputs again, but not their guards.
  void poison() {
    poison(d_sorted_);
    poison(d_permutation_);
    poison(d_quantization_);
  }

  Outputs<Kind> fetch() {
    Outputs<Kind> out = clean_;
    d_sorted_.download(out.sorted.whole());
    d_permutation_.download(out.permutation.whole());
    d_quantization_.download(out.quantization.whole());
    stream_.synchronize("reading a test's output");
    try {
      workspace_.check();
    } catch (const InputError& error) {
      out.fault = error.what();
    }
    EXPECT_NO_THROW(workspace_.check()) << "a fault is reported once";
    EXPECT_TRUE(out.sorted.guards_intact());
    EXPECT_TRUE(out.permutation.guards_intact());
    EXPECT_TRUE(out.quantization.guards_intact());
    return out;
  }

 private:
  static constexpr std::size_t kGuard = GuardedArray<int>::kGuard;

  Value* sorted_values() const { return d_sorted_.data() + kGuard; }
  template <class T>
  void poison(const DeviceBuffer<T>& buffer) const {
    DROPMD_CUDA(cudaMemsetAsync(buffer.data() + kGuard, 0xA5, (buffer.size() - 2 * kGuard) * sizeof(T), stream_.get()),
                "poisoning a test's output");
  }

  const Stream& stream_;
  Outputs<Kind> clean_;
  int uniform_length_;
  DeviceBuffer<int> d_offsets_;
  DeviceBuffer<Value> d_values_;
  DeviceBuffer<Value> d_sorted_;
  DeviceBuffer<int> d_permutation_;
  DeviceBuffer<Quantization> d_quantization_;
  SortWorkspace workspace_;
  const Value* values_ = nullptr;
};

template <class Kind>
class SegmentSortCuda : public testing::Test {
 protected:
  using Value = typename Kind::Value;

  void SetUp() override {
    if (const std::string reason = query_devices().reason; !reason.empty()) GTEST_SKIP() << reason;
    stream_.emplace(0);
  }

  Cuda cuda() const { return {*stream_}; }

  Outputs<Kind> sort_with_faults(const RaggedArrays<Value>& input, int max_length, bool uniform = false,
                                 bool in_place = false) {
    DeviceSort<Kind> sort(*stream_, input, max_length, uniform, in_place);
    sort.enqueue();
    return sort.fetch();
  }

  Outputs<Kind> sort(const RaggedArrays<Value>& input, int max_length, bool uniform = false, bool in_place = false) {
    auto out = sort_with_faults(input, max_length, uniform, in_place);
    EXPECT_EQ(out.fault, "");
    auto keys = sort_keys_alone(input, max_length, out, uniform, in_place);
    EXPECT_EQ(keys.fault, "");
    EXPECT_TRUE(same_bytes<Value>(keys.sorted.values(), out.sorted.values())) << "keys alone";
    EXPECT_TRUE(same_bytes<Quantization>(keys.quantization.values(), out.quantization.values())) << "keys alone";
    return out;
  }

  /// Keys without a permutation may be sorted by another kernel (staged_sort.cuh) than keys with one; the permutation
  /// is copied from `whole`.
  Outputs<Kind> sort_keys_alone(const RaggedArrays<Value>& input, int max_length, const Outputs<Kind>& whole,
                                bool uniform = false, bool in_place = false) {
    DeviceSort<Kind> sort(*stream_, input, max_length, uniform, in_place);
    sort.enqueue({true, false, true});
    auto out = sort.fetch();
    EXPECT_TRUE(is_poison(out.permutation.values()));
    out.permutation = whole.permutation;
    return out;
  }

  static void expect_sorted(const RaggedArrays<Value>& input, Outputs<Kind>& out) {
    const std::vector<int> expected = Kind::expected(input.offsets, input.values);
    Outputs<Kind> cpu(input);
    sort_segments(Cpu{2}, Segments::ragged(input.offsets.data(), input.count(), input.n_keys()),
                  Kind::arrays(input.values.data(), cpu.sorted.values().data(), cpu.permutation.values().data(),
                               cpu.quantization.values().data()));
    const auto permutation = out.permutation.values();
    for (int s = 0; s < input.count(); ++s) {
      const auto begin = static_cast<std::size_t>(input.offsets[static_cast<std::size_t>(s)]);
      const auto n = static_cast<std::size_t>(input.offsets[static_cast<std::size_t>(s) + 1]) - begin;
      ASSERT_TRUE(std::equal(permutation.begin() + begin, permutation.begin() + begin + n, expected.begin() + begin))
          << input.describe(s);
      ASSERT_TRUE(same_bytes<Value>(out.sorted.values().subspan(begin, n), cpu.sorted.values().subspan(begin, n)))
          << input.describe(s);
    }
    EXPECT_TRUE(same_bytes<Quantization>(out.quantization.values(), cpu.quantization.values()));
  }

  /// Every segment except the faulty ones is sorted if it overlaps no other, and keys that no segment covers are
  /// unchanged.
  static void expect_sorted_but_for(std::span<const int> faulty, const RaggedArrays<Value>& input, Outputs<Kind>& out) {
    const auto is_faulty = [&](int s) { return std::find(faulty.begin(), faulty.end(), s) != faulty.end(); };
    const auto range_of = [&](int s) { return Segments::ragged(input.offsets.data(), input.count(), 0)[s]; };
    std::vector<int> covers(input.values.size(), 0);
    for (int s = 0; s < input.count(); ++s)
      if (!is_faulty(s))
        for (int k = range_of(s).begin; k < range_of(s).end; ++k) ++covers[static_cast<std::size_t>(k)];

    RaggedArrays<Value> sound;
    std::vector<int> index;
    for (int s = 0; s < input.count(); ++s) {
      if (is_faulty(s)) {
        EXPECT_TRUE(is_poison(out.quantization.values().subspan(static_cast<std::size_t>(s), 1))) << "segment " << s;
        continue;
      }
      const auto [begin, end] = range_of(s);
      if (std::any_of(covers.begin() + begin, covers.begin() + end, [](int n) { return n > 1; })) continue;
      sound.add(input.patterns[static_cast<std::size_t>(s)],
                {input.values.begin() + begin, input.values.begin() + end});
      index.push_back(s);
    }
    ASSERT_FALSE(index.empty() && faulty.size() < input.patterns.size());
    Outputs<Kind> sound_out(sound);
    for (std::size_t i = 0; i < index.size(); ++i) {
      const auto [begin, end] = range_of(index[i]);
      for (int k = begin; k < end; ++k) {
        const auto from = static_cast<std::size_t>(k);
        const auto to = static_cast<std::size_t>(sound.offsets[i] + k - begin);
        std::memcpy(&sound_out.sorted.values()[to], &out.sorted.values()[from], sizeof(Value));
        sound_out.permutation.values()[to] = out.permutation.values()[from] - begin + sound.offsets[i];
      }
      sound_out.quantization.values()[i] = out.quantization.values()[static_cast<std::size_t>(index[i])];
    }
    expect_sorted(sound, sound_out);

    for (std::size_t k = 0; k < covers.size(); ++k)
      if (covers[k] == 0) {
        ASSERT_TRUE(is_poison(out.sorted.values().subspan(k, 1))) << "key " << k;
        ASSERT_TRUE(is_poison(out.permutation.values().subspan(k, 1))) << "key " << k;
      }
  }

  template <class T>
  static bool is_poison(std::span<T> values) {
    return std::all_of(values.begin(), values.end(), [](const T& value) {
      const T poison = GuardedArray<T>::poison();
      return std::memcmp(&value, &poison, sizeof(T)) == 0;
    });
  }

  /// Fails unless the segments, of one length or of many, are sorted correctly when their keys are overwritten.
  void expect_sorted_in_place(std::span<const int> lengths, bool uniform) {
    const auto input = make_ragged(lengths, kAllPatterns, +Kind::kMake);
    auto out = sort(input, 1 << 16, uniform, true);
    expect_sorted(input, out);
  }
  void expect_sorted_in_place() {
    expect_sorted_in_place(poisson_lengths(400, 90, 0.2, 9), false);
    expect_sorted_in_place(std::array{3, 129, 130, 200, 256, 0, 511, 700, 1023, 1024, 1025, 90, 3000, 5000}, false);
    expect_sorted_in_place(poisson_lengths(3000, 12, 0.2, 9), false);
    for (const int length : {5, 16, 90, 128, 129, 400, 1000, 1024, 1025, 2000})
      expect_sorted_in_place(std::array{length, length, length}, true);
  }

  std::optional<Stream> stream_;
};

}  // namespace dropmd::device_sorts
