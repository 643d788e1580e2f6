#pragma once

#include <vector>

#include "device/cuda.cuh"

namespace dropmd {

/// A graph to build up, gone with its parts when this is.
class GraphPlan {
 public:
  GraphPlan() { DROPMD_CUDA(cudaGraphCreate(&graph_, 0), "beginning a graph"); }
  ~GraphPlan() { cudaGraphDestroy(graph_); }
  GraphPlan(const GraphPlan&) = delete;
  GraphPlan& operator=(const GraphPlan&) = delete;

  cudaGraph_t get() const { return graph_; }

  cudaGraphExec_t instantiate() const {
    cudaGraphExec_t executable = nullptr;
    DROPMD_CUDA(cudaGraphInstantiate(&executable, graph_, 0), "making a graph executable");
    return executable;
  }

 private:
  cudaGraph_t graph_ = nullptr;
};

/// Captures what `enqueue` gives to the stream into a graph; nothing of it runs. What `enqueue` throws is thrown on.
/// Returns what comes last: whatever is to follow depends on it.
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

/// Work that was enqueued to a stream once and can be launched again as a whole; neither copied nor moved.
class Graph {
 public:
  /// As capture_into().
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
