#pragma once

#include <memory>
#include <span>

#include "device/graph.cuh"

/// Work that the device repeats by itself, until it finds that it is done: loops as nodes of a graph (CUDA C++
/// programming guide, conditional graph nodes). A turn of a loop costs some four microseconds, so it should do several
/// steps.
namespace dropmd {

/// Whether a loop takes another turn; said on the device.
class LoopCondition {
 public:
  explicit LoopCondition(cudaGraphConditionalHandle handle) : handle_(handle) {}

#if defined(__CUDACC__)
  __device__ void set(bool go_on) const { cudaGraphSetConditional(handle_, go_on ? 1U : 0U); }
#endif

 private:
  cudaGraphConditionalHandle handle_;
};

namespace loop_graph_detail {

/// A loop in a graph.
class Loop {
 public:
  /// at_first: the condition when the outermost graph is launched.
  Loop(cudaGraph_t graph, bool at_first) : graph_(graph) {
    DROPMD_CUDA(cudaGraphConditionalHandleCreate(&handle_, graph, at_first ? 1 : 0, cudaGraphCondAssignDefault),
                "making a loop on the device");
  }

  LoopCondition condition() const { return LoopCondition(handle_); }

  /// Puts the loop behind nodes of its graph; returns its body, to be filled.
  cudaGraph_t put_behind(std::span<const cudaGraphNode_t> nodes) const {
    cudaGraphNodeParams loop{};
    loop.type = cudaGraphNodeTypeConditional;
    loop.conditional.handle = handle_;
    loop.conditional.type = cudaGraphCondTypeWhile;
    loop.conditional.size = 1;
    cudaGraphNode_t node = nullptr;
#if CUDART_VERSION >= 13000
    const cudaError_t added = cudaGraphAddNode(&node, graph_, nodes.data(), nullptr, nodes.size(), &loop);
#else
    const cudaError_t added = cudaGraphAddNode(&node, graph_, nodes.data(), nodes.size(), &loop);
#endif
    DROPMD_CUDA(added, "making a loop on the device");
    return loop.conditional.phGraph_out[0];
  }

 private:
  cudaGraph_t graph_;
  cudaGraphConditionalHandle handle_{};
};

/// Memory that a loop is to use is there before the loop is: compute-sanitizer (2025.3) may take memory allocated on a
/// stream just before for not yet allocated, and breaks off (as in github.com/NVIDIA/warp/issues/1406).
inline void wait_for_memory(const Cuda& cuda) { cuda.stream.synchronize("waiting for the memory of a loop"); }

}  // namespace loop_graph_detail

/// A loop of what body(condition) enqueues. A launch takes a first turn; the condition says whether another.
template <class Body>
std::unique_ptr<Graph> make_loop(const Cuda& cuda, const Body& body) {
  loop_graph_detail::wait_for_memory(cuda);
  const GraphPlan plan;
  const loop_graph_detail::Loop loop(plan.get(), true);
  capture_into(loop.put_behind({}), cuda, [&] { body(loop.condition()); });
  return std::make_unique<Graph>(plan);
}

/// The same with a loop of its own at the end of each turn: head(outer, inner), then turns of body(outer, inner) while
/// `inner` says so, which must be set by both; `outer` by the last of them.
template <class Head, class Body>
std::unique_ptr<Graph> make_loop_in_loop(const Cuda& cuda, const Head& head, const Body& body) {
  loop_graph_detail::wait_for_memory(cuda);
  const GraphPlan plan;
  const loop_graph_detail::Loop outer(plan.get(), true);
  const cudaGraph_t turn = outer.put_behind({});
  const loop_graph_detail::Loop inner(turn, false);
  const auto last = capture_into(turn, cuda, [&] { head(outer.condition(), inner.condition()); });
  capture_into(inner.put_behind(last), cuda, [&] { body(outer.condition(), inner.condition()); });
  return std::make_unique<Graph>(plan);
}

}  // namespace dropmd
