#pragma once

#include <vector>

#include "device/cuda.cuh"

namespace dropmd {

/// A graph under construction; it is destroyed with this object.
class GraphPlan {
 public:
  GraphPlan() { DROPMD_CUDA(cudaGraphCreate(&graph_, 0), "beginning a graph"); }
  ~GraphPlan() { cudaGraphDestroy(graph_); }
  GraphPlan(const GraphPlan&) = delete;
  GraphPlan& operator=(const GraphPlan&) = delete;

  cudaGraph_t get() const { return graph_; }

  /// Kernels keep the priorities of the streams on which they were captured.
  cudaGraphExec_t instantiate() const {
    cudaGraphExec_t executable = nullptr;
    DROPMD_CUDA(cudaGraphInstantiate(&executable, graph_, cudaGraphInstantiateFlagUseNodePriority),
                "making a graph executable");
    return executable;
  }

 private:
  cudaGraph_t graph_ = nullptr;
};

/// Captures the work that `enqueue` enqueues on the stream into a graph, without running it. Exceptions of `enqueue`
/// are passed on. Returns the last nodes, on which later nodes must depend.
template <class Enqueue>
std::vector<cudaGraphNode_t> capture_into(cudaGraph_t graph, const Cuda& cuda, const Enqueue& enqueue) {
  DROPMD_CUDA(cudaStreamBeginCaptureToGraph(cuda.get(), graph, nullptr, nullptr, 0, cudaStreamCaptureModeThreadLocal),
              "beginning a graph");
  try {
    enqueue();
  } catch (...) {
    cudaGraph_t same = nullptr;
    cudaStreamEndCapture(cuda.get(), &same);
    throw;
  }
  cudaStreamCaptureStatus status = cudaStreamCaptureStatusNone;
  const cudaGraphNode_t* last = nullptr;
  std::size_t n_last = 0;
#if CUDART_VERSION >= 13000
  const cudaError_t asked = cudaStreamGetCaptureInfo(cuda.get(), &status, nullptr, nullptr, &last, nullptr, &n_last);
#else
  const cudaError_t asked = cudaStreamGetCaptureInfo_v3(cuda.get(), &status, nullptr, nullptr, &last, nullptr, &n_last);
#endif
  std::vector<cudaGraphNode_t> nodes;
  if (asked == cudaSuccess) nodes.assign(last, last + n_last);
  cudaGraph_t same = nullptr;
  DROPMD_CUDA(cudaStreamEndCapture(cuda.get(), &same), "ending a graph");
  DROPMD_CUDA(asked, "ending a graph");
  return nodes;
}

/// Work that was enqueued once and can be launched again as a whole; neither copyable nor movable.
class Graph {
 public:
  /// Captures what `enqueue` enqueues, as capture_into() does.
  template <class Enqueue>
  Graph(const Cuda& cuda, const Enqueue& enqueue) {
    const GraphPlan plan;
    capture_into(plan.get(), cuda, enqueue);
    executable_ = plan.instantiate();
  }
  explicit Graph(const GraphPlan& plan) : executable_(plan.instantiate()) {}
  ~Graph() { cudaGraphExecDestroy(executable_); }
  Graph(const Graph&) = delete;
  Graph& operator=(const Graph&) = delete;

  void launch(const Cuda& cuda) const { DROPMD_CUDA(cudaGraphLaunch(executable_, cuda.get()), "launching a graph"); }

 private:
  cudaGraphExec_t executable_ = nullptr;
};

}  // namespace dropmd
