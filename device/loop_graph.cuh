#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <utility>

#include "device/buffer.cuh"
#include "device/graph.cuh"
#include "device/pinned.cuh"

/// Work that the device repeats until it finds that it is done, without the host: loops are nodes of a graph (CUDA C++
/// programming guide, conditional graph nodes). An iteration of a loop costs about four microseconds, so it should
/// contain several steps.
///
/// Tools for kernels cannot follow such loops. compute-sanitizer (2025.3) reports valid accesses as out of bounds and
/// crashes in racecheck with many blocks; ncu sees no single kernel. For such tools the host can run the loop and ask
/// the device after each iteration whether to continue, if the environment variable DROPMD_HOST_LOOPS is set.
namespace dropmd {

/// Who runs the iterations of a loop.
enum class IterationsBy { device, host };

/// The host if DROPMD_HOST_LOOPS is set or after run_loops_on_host(), else the device.
IterationsBy usual_iterations();
/// Makes the host run the loops that are made from now on, for work that cannot be part of a loop on the device.
void run_loops_on_host();

/// Whether a loop runs another iteration; set on the device.
class LoopCondition {
 public:
  explicit LoopCondition(cudaGraphConditionalHandle handle) : handle_(handle) {}
  explicit LoopCondition(std::uint32_t* said) : said_(said) {}

#if defined(__CUDACC__)
  __device__ void set(bool repeats) const {
    if (said_ != nullptr)
      *said_ = repeats ? 1 : 0;
    else
      cudaGraphSetConditional(handle_, repeats ? 1U : 0U);
  }
#endif

 private:
  cudaGraphConditionalHandle handle_{};
  std::uint32_t* said_ = nullptr;
};

/// A loop, possibly with an inner loop, that can be launched any number of times.
class LoopGraph {
 public:
  /// Returns a loop over the work that body(condition) enqueues. A launch runs one iteration; the condition decides
  /// whether another follows.
  template <class Body>
  static LoopGraph once(const Cuda& cuda, const Body& body, IterationsBy by = usual_iterations()) {
    LoopGraph made;
    if (by == IterationsBy::host) {
      made.said_.emplace(cuda);
      made.graph_ = std::make_unique<Graph>(cuda, [&] { body(made.said_->outer()); });
      return made;
    }
    const GraphPlan plan;
    const Loop loop(plan.get(), true);
    capture_into(loop.put_behind({}), cuda, [&] { body(loop.condition()); });
    made.graph_ = std::make_unique<Graph>(plan);
    return made;
  }

  /// The same with an inner loop at the end of each iteration: head(outer, inner), then iterations of body(outer,
  /// inner) while `inner` is set. Both must set `inner`, and the last of them to run must set `outer`.
  template <class Head, class Body>
  static LoopGraph nested(const Cuda& cuda, const Head& head, const Body& body, IterationsBy by = usual_iterations()) {
    LoopGraph made;
    if (by == IterationsBy::host) {
      made.said_.emplace(cuda);
      const auto [outer, inner] = std::pair(made.said_->outer(), made.said_->inner());
      made.graph_ = std::make_unique<Graph>(cuda, [&] { head(outer, inner); });
      made.body_ = std::make_unique<Graph>(cuda, [&] { body(outer, inner); });
      return made;
    }
    const GraphPlan plan;
    const Loop outer(plan.get(), true);
    const cudaGraph_t iteration = outer.put_behind({});
    const Loop inner(iteration, false);
    const auto last = capture_into(iteration, cuda, [&] { head(outer.condition(), inner.condition()); });
    capture_into(inner.put_behind(last), cuda, [&] { body(outer.condition(), inner.condition()); });
    made.graph_ = std::make_unique<Graph>(plan);
    return made;
  }

  /// Enqueues all iterations. If the host runs them, they are performed before it returns.
  void launch(const Cuda& cuda) const {
    if (!said_) return graph_->launch(cuda);
    do {
      graph_->launch(cuda);
      while (body_ && said_->is_inner(cuda)) body_->launch(cuda);
    } while (said_->is_outer(cuda));
  }

 private:
  /// A loop as a node of a graph.
  class Loop {
   public:
    /// at_first: the condition when the outermost graph is launched.
    Loop(cudaGraph_t graph, bool at_first);
    /// The condition of the loop.
    LoopCondition condition() const { return LoopCondition(handle_); }
    /// Adds the loop after nodes of its graph; returns its body, to be filled.
    cudaGraph_t put_behind(std::span<const cudaGraphNode_t> nodes) const;

   private:
    cudaGraph_t graph_;
    cudaGraphConditionalHandle handle_{};
  };

  /// The conditions as the host reads them.
  class Said {
   public:
    explicit Said(const Cuda& cuda) : d_said_(cuda.stream), h_said_(std::make_unique<Pinned<std::uint32_t>>(2)) {
      d_said_.resize(2);
      d_said_.zero();
    }
    LoopCondition outer() const { return LoopCondition(d_said_.data()); }
    LoopCondition inner() const { return LoopCondition(d_said_.data() + 1); }
    bool is_outer(const Cuda& cuda) const { return read(cuda)[0] != 0; }
    bool is_inner(const Cuda& cuda) const { return read(cuda)[1] != 0; }

   private:
    std::span<const std::uint32_t> read(const Cuda& cuda) const {
      d_said_.download(h_said_->all());
      cuda.stream.synchronize("running iterations of a loop");
      return h_said_->all();
    }
    DeviceBuffer<std::uint32_t> d_said_;
    std::unique_ptr<Pinned<std::uint32_t>> h_said_;
  };

  LoopGraph() = default;

  std::unique_ptr<Graph> graph_;  ///< everything, or an iteration without its inner loop
  std::unique_ptr<Graph> body_;   ///< an iteration of the inner loop, if the host runs the loop
  std::optional<Said> said_;      ///< if the host runs the loop
};

}  // namespace dropmd
