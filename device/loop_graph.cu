#include "device/loop_graph.cuh"

#include <atomic>
#include <cstdlib>

namespace dropmd {

namespace {

std::atomic<IterationsBy>& iterations() {
  static std::atomic<IterationsBy> by =
      std::getenv("DROPMD_HOST_LOOPS") != nullptr ? IterationsBy::host : IterationsBy::device;
  return by;
}

}  // namespace

IterationsBy usual_iterations() { return iterations(); }

void run_loops_on_host() { iterations() = IterationsBy::host; }

LoopGraph::Loop::Loop(cudaGraph_t graph, bool at_first) : graph_(graph) {
  DROPMD_CUDA(cudaGraphConditionalHandleCreate(&handle_, graph, at_first ? 1 : 0, cudaGraphCondAssignDefault),
              "making a loop on the device");
}

cudaGraph_t LoopGraph::Loop::put_behind(std::span<const cudaGraphNode_t> nodes) const {
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

}  // namespace dropmd
