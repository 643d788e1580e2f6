#include "device/conditional_branch.cuh"

namespace dropmd {

namespace {

/// The graph that a stream is being captured into, and the nodes on which the next node depends.
struct Capture {
  cudaStreamCaptureStatus status = cudaStreamCaptureStatusNone;
  cudaGraph_t graph = nullptr;
  const cudaGraphNode_t* last = nullptr;
  std::size_t n_last = 0;

  explicit Capture(const Cuda& cuda) {
#if CUDART_VERSION >= 13000
    const cudaError_t asked = cudaStreamGetCaptureInfo(cuda.get(), &status, nullptr, &graph, &last, nullptr, &n_last);
#else
    const cudaError_t asked =
        cudaStreamGetCaptureInfo_v3(cuda.get(), &status, nullptr, &graph, &last, nullptr, &n_last);
#endif
    DROPMD_CUDA(asked, "making a conditional part of a graph");
  }
};

}  // namespace

bool ConditionalBranch::is_captured(const Cuda& cuda) { return Capture(cuda).status == cudaStreamCaptureStatusActive; }

cudaGraphConditionalHandle ConditionalBranch::make_handle(const Cuda& cuda) {
  cudaGraphConditionalHandle handle{};
  DROPMD_CUDA(cudaGraphConditionalHandleCreate(&handle, Capture(cuda).graph, 0, 0),
              "making a conditional part of a graph");
  return handle;
}

cudaGraph_t ConditionalBranch::enqueue_conditional(const Cuda& cuda, cudaGraphConditionalHandle handle) {
  const char* const doing = "making a conditional part of a graph";
  const Capture capture(cuda);
  cudaGraphNodeParams conditional{};
  conditional.type = cudaGraphNodeTypeConditional;
  conditional.conditional.handle = handle;
  conditional.conditional.type = cudaGraphCondTypeIf;
  conditional.conditional.size = 1;
  cudaGraphNode_t node = nullptr;
#if CUDART_VERSION >= 13000
  DROPMD_CUDA(cudaGraphAddNode(&node, capture.graph, capture.last, nullptr, capture.n_last, &conditional), doing);
  DROPMD_CUDA(cudaStreamUpdateCaptureDependencies(cuda.get(), &node, nullptr, 1, cudaStreamSetCaptureDependencies),
              doing);
#else
  DROPMD_CUDA(cudaGraphAddNode(&node, capture.graph, capture.last, capture.n_last, &conditional), doing);
  DROPMD_CUDA(cudaStreamUpdateCaptureDependencies(cuda.get(), &node, 1, cudaStreamSetCaptureDependencies), doing);
#endif
  return conditional.conditional.phGraph_out[0];
}

}  // namespace dropmd
