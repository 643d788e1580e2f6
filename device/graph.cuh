#pragma once

#include "device/cuda.cuh"

namespace dropmd {

/// Work that was enqueued to a stream once and can be launched again as a whole; neither copied nor moved.
class Graph {
 public:
  /// Captures what `enqueue` gives to the stream; nothing of it runs. What `enqueue` throws is thrown on.
  template <class Enqueue>
  Graph(const Cuda& cuda, const Enqueue& enqueue) {
    DROPMD_CUDA(cudaStreamBeginCapture(cuda.get(), cudaStreamCaptureModeThreadLocal), "beginning a graph");
    cudaGraph_t graph = nullptr;
    try {
      enqueue();
    } catch (...) {
      cudaStreamEndCapture(cuda.get(), &graph);
      if (graph != nullptr) cudaGraphDestroy(graph);
      throw;
    }
    DROPMD_CUDA(cudaStreamEndCapture(cuda.get(), &graph), "ending a graph");
    const cudaError_t made = cudaGraphInstantiate(&executable_, graph, 0);
    cudaGraphDestroy(graph);
    DROPMD_CUDA(made, "making a graph executable");
  }
  ~Graph() { cudaGraphExecDestroy(executable_); }
  Graph(const Graph&) = delete;
  Graph& operator=(const Graph&) = delete;

  void launch(const Cuda& cuda) const { DROPMD_CUDA(cudaGraphLaunch(executable_, cuda.get()), "launching a graph"); }

 private:
  cudaGraphExec_t executable_ = nullptr;
};

}  // namespace dropmd
