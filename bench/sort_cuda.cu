#include "bench/sort_cuda.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <stdexcept>
#include <utility>

#include "bench/sort_keys.h"
#include "device/buffer.cuh"
#include "device/graph.cuh"
#include "device/timer.cuh"
#include "sort/sort_method.cuh"

namespace dropmd {

namespace {

/// How often a method is timed.
struct SortTiming {
  static constexpr int kWarmUps = 2;
  static constexpr int kMostRuns = 51;
  static constexpr int kFewestRuns = 3;
  static constexpr double kSecondsPerMethod = 0.3;
  static constexpr int kGraphLaunches = 11;
  static constexpr int kFewestNodes = 50;
  static constexpr int kMostNodes = 1024;
  static constexpr double kSecondsPerGraph = 0.02;
  // The GPU is blocked for about 20 µs before a run, and for 500 µs before a graph, while the host enqueues it.
  static constexpr long long kHoldRunCycles = 40'000;
  static constexpr long long kHoldGraphCycles = 1'000'000;
  static constexpr int kKeyThreads = 256;
  static constexpr int kMostKeyBlocks = 1 << 16;
};

__global__ void hold_kernel(long long cycles) {
  const long long begin = clock64();
  while (clock64() - begin < cycles) {
  }
}

/// Generates the keys; each warp those of every n_warps-th segment.
__device__ void make_keys(const Segments& segments, std::uint32_t buffer, int warp, int n_warps, int lane,
                          PackedWord* words) {
  for (int s = warp; s < segments.count; s += n_warps) {
    const SegmentRange range = segments[s];
    for (int i = lane; i < range.length(); i += 32) words[range.begin + i] = sort_bench_key(buffer, range.begin + i, i);
  }
}

/// The y dimension of the grid has arrays of d_segments.n_keys keys, `stride` apart.
__global__ void make_keys_kernel(Segments segments, int n_arrays, std::size_t stride, PackedWord* words) {
  const auto thread = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  const auto n_warps = static_cast<int>(gridDim.x * blockDim.x / 32);
  for (auto b = static_cast<int>(blockIdx.y); b < n_arrays; b += static_cast<int>(gridDim.y))
    make_keys(segments, static_cast<std::uint32_t>(b), thread / 32, n_warps, thread % 32,
              words + stride * static_cast<std::size_t>(b));
}

int l2_bytes(int device) {
  int bytes = 0;
  DROPMD_CUDA(cudaDeviceGetAttribute(&bytes, cudaDevAttrL2CacheSize, device), "asking for the size of the L2 cache");
  return bytes;
}

/// Pairs of an input and an output array, used in turn, so that the data of a run are no longer in the L2 cache.
class RotatingKeys {
 public:
  RotatingKeys(const Cuda& cuda, const Segments& d_segments)
      : n_keys_(static_cast<std::size_t>(d_segments.n_keys)),
        stride_((n_keys_ / kAlignment + 1) * kAlignment),
        d_input_(cuda.stream),
        d_output_(cuda.stream) {
    const std::size_t l2 = static_cast<std::size_t>(l2_bytes(cuda.stream.device()));
    const std::size_t pair_bytes = 2 * stride_ * sizeof(PackedWord);
    count_ = static_cast<int>(std::max<std::size_t>(4, 3 * l2 / pair_bytes + 1));
    d_input_.resize(stride_ * static_cast<std::size_t>(count_));
    d_output_.resize(stride_ * static_cast<std::size_t>(count_));
    const int warps = SortTiming::kKeyThreads / 32;
    const int blocks = std::min((d_segments.count + warps - 1) / warps, SortTiming::kMostKeyBlocks);
    const dim3 grid(static_cast<unsigned>(blocks), static_cast<unsigned>(std::min(count_, kMostBlocksInY)));
    make_keys_kernel<<<grid, SortTiming::kKeyThreads, 0, cuda.get()>>>(d_segments, count_, stride_, d_input_.data());
    DROPMD_CUDA_LAUNCHED("making keys to sort");
  }

  int count() const { return count_; }
  const PackedWord* input(int b) const { return d_input_.data() + offset(b); }
  PackedWord* output(int b) const { return d_output_.data() + offset(b); }

  /// Returns the pair that has not been used for longest.
  int next() { return std::exchange(next_, (next_ + 1) % count_); }

  void poison(const Cuda& cuda, int b) const {
    DROPMD_CUDA(cudaMemsetAsync(output(b), 0xA5, n_keys_ * sizeof(PackedWord), cuda.get()), "poisoning an output");
  }

  std::vector<PackedWord> download(const Cuda& cuda, const PackedWord* d_words) const {
    std::vector<PackedWord> words(n_keys_);
    if (n_keys_ > 0)
      DROPMD_CUDA(
          cudaMemcpyAsync(words.data(), d_words, n_keys_ * sizeof(PackedWord), cudaMemcpyDeviceToHost, cuda.get()),
          "copying sorted keys from the device");
    cuda.stream.synchronize("sorting segments");
    return words;
  }

 private:
  static constexpr std::size_t kAlignment = 64;  ///< words: 256 bytes, as in a separate allocation
  static constexpr int kMostBlocksInY = 65'535;  ///< CUDA's limit

  std::size_t offset(int b) const { return stride_ * static_cast<std::size_t>(b); }

  std::size_t n_keys_;
  std::size_t stride_;
  int count_ = 0;
  int next_ = 0;
  DeviceBuffer<PackedWord> d_input_;
  DeviceBuffer<PackedWord> d_output_;
};

/// The expected output of each pair: std::stable_sort of its input.
class Answers {
 public:
  Answers(const Cuda& cuda, const Cpu& cpu, const Segments& h_segments, const RotatingKeys& keys)
      : cuda_(cuda), cpu_(cpu), h_segments_(h_segments), keys_(keys) {}

  /// Throws Error unless the pair's output is correct.
  void check(int b, const SortMethod& method, const std::string& how) {
    const std::string name = method.name() + how;
    const std::vector<PackedWord> found = keys_.download(cuda_, keys_.output(b));
    if (method.sorts())
      require_same_words(h_segments_, sorted(b), found, name);
    else
      require_same_words(h_segments_, keys_.download(cuda_, keys_.input(b)), found, name);
  }

 private:
  const std::vector<PackedWord>& sorted(int b) {
    const auto known = sorted_.find(b);
    if (known != sorted_.end()) return known->second;
    std::vector<PackedWord> words = keys_.download(cuda_, keys_.input(b));
    if (words != sort_bench_keys(cpu_, h_segments_, static_cast<std::uint32_t>(b)))
      throw std::logic_error("the keys to sort changed, or were not made");
    return sorted_.emplace(b, stably_sorted(cpu_, h_segments_, std::move(words))).first->second;
  }

  Cuda cuda_;
  Cpu cpu_;
  Segments h_segments_;
  const RotatingKeys& keys_;
  std::map<int, std::vector<PackedWord>> sorted_;
};

/// Enqueues timed work after a kernel that waits, so that the device is timed and not the launches.
template <class Enqueue>
void enqueue_timed(const Cuda& cuda, Timer& timer, long long hold_cycles, const Enqueue& enqueue) {
  hold_kernel<<<1, 1, 0, cuda.get()>>>(hold_cycles);
  DROPMD_CUDA_LAUNCHED("holding the stream");
  timer.start(cuda.stream);
  enqueue();
  timer.stop(cuda.stream);
}

/// Returns the median in seconds, after the stream was synchronised.
double median_seconds(const std::vector<Timer>& timers) {
  std::vector<double> seconds;
  seconds.reserve(timers.size());
  for (const Timer& timer : timers) seconds.push_back(timer.seconds());
  std::sort(seconds.begin(), seconds.end());
  return seconds[seconds.size() / 2];
}

/// Everything that the methods share for one case.
struct SortCase {
  const Cuda& cuda;
  const Segments& segments;
  RotatingKeys& keys;
  Answers& answers;

  /// Enqueues a run on the next pair, whose index it returns.
  int run(SortMethod& method) const {
    const int b = keys.next();
    method.run(cuda, segments, keys.input(b), keys.output(b));
    return b;
  }
};

/// Times single runs; the output of the last run was poisoned before it and is checked.
double time_runs(const SortCase& sort_case, SortMethod& method) {
  const Cuda& cuda = sort_case.cuda;
  std::vector<Timer> warm_up(SortTiming::kWarmUps);
  for (Timer& timer : warm_up) enqueue_timed(cuda, timer, SortTiming::kHoldRunCycles, [&] { sort_case.run(method); });
  cuda.stream.synchronize("sorting segments");
  const double runs_in_time = SortTiming::kSecondsPerMethod / warm_up.back().seconds();
  const auto n_runs = static_cast<std::size_t>(std::clamp(runs_in_time, static_cast<double>(SortTiming::kFewestRuns),
                                                          static_cast<double>(SortTiming::kMostRuns)));
  std::vector<Timer> timers(n_runs);
  int last = 0;
  for (std::size_t i = 0; i < n_runs; ++i) {
    const int b = sort_case.keys.next();
    if (i + 1 == n_runs) sort_case.keys.poison(cuda, last = b);
    enqueue_timed(cuda, timers[i], SortTiming::kHoldRunCycles,
                  [&] { method.run(cuda, sort_case.segments, sort_case.keys.input(b), sort_case.keys.output(b)); });
  }
  cuda.stream.synchronize("sorting segments");
  sort_case.answers.check(last, method, "");
  return median_seconds(timers);
}

/// Times a sort in a graph that is a chain of sorts, which uses all buffers once unless that takes too long. The output
/// of the last node of the last launch was poisoned before it and is checked.
double time_graph_node(const SortCase& sort_case, SortMethod& method, double seconds) {
  const Cuda& cuda = sort_case.cuda;
  const int wanted = std::clamp(sort_case.keys.count(), SortTiming::kFewestNodes, SortTiming::kMostNodes);
  const int n_nodes = std::max(1, static_cast<int>(std::min<double>(wanted, SortTiming::kSecondsPerGraph / seconds)));
  int last = 0;
  const Graph graph(cuda, [&] {
    for (int i = 0; i < n_nodes; ++i) last = sort_case.run(method);
  });
  graph.launch(cuda);
  std::vector<Timer> timers(SortTiming::kGraphLaunches);
  for (Timer& timer : timers) {
    sort_case.keys.poison(cuda, last);
    enqueue_timed(cuda, timer, SortTiming::kHoldGraphCycles, [&] { graph.launch(cuda); });
  }
  cuda.stream.synchronize("sorting segments in a graph");
  sort_case.answers.check(last, method, " in a graph");
  return median_seconds(timers) / n_nodes;
}

}  // namespace

std::vector<SortTime> time_sorts_cuda(int device, const Cpu& cpu, const SortBenchSegments& segments,
                                      std::span<const std::string> methods) {
  const Stream stream(device);
  const Cuda cuda{stream};
  DeviceBuffer<int> d_offsets(stream);
  Segments d_segments = segments.view();
  if (!segments.offsets().empty()) {
    d_offsets.upload(segments.offsets());
    d_segments.offsets = d_offsets.data();
  }
  RotatingKeys keys(cuda, d_segments);
  Answers answers(cuda, cpu, segments.view(), keys);
  const SortCase sort_case{cuda, d_segments, keys, answers};
  const SortLimits limits{d_segments.count, d_segments.n_keys, std::max(1, segments.longest())};
  std::vector<SortTime> times;
  for (const std::unique_ptr<SortMethod>& method : sort_methods(cuda, limits)) {
    const std::string name = method->name();
    if (std::find(methods.begin(), methods.end(), name) == methods.end()) continue;
    if (!method->takes(d_segments, segments.longest())) continue;
    const double seconds = time_runs(sort_case, *method);
    times.push_back({.method = name, .sorts = method->sorts(), .time_us = seconds * 1e6});
    if (name == "dropmd" && method->capturable())
      times.back().graph_node_us = time_graph_node(sort_case, *method, seconds) * 1e6;
  }
  return times;
}

}  // namespace dropmd
