#pragma once

#include <vector>

#include "device/branch.cuh"
#include "device/loop_graph.cuh"

namespace dropmd {

/// Work beside another stream that is done only if the device decides so. In a captured graph, the work is the body of
/// a conditional node, which costs nothing if it is not done. Elsewhere, and for tools that cannot follow conditional
/// nodes (device/loop_graph.cuh), it is always enqueued: its kernels must then find out by themselves that they have
/// nothing to do.
class ConditionalBranch {
 public:
  explicit ConditionalBranch(const Cuda& main) : gate_(main), work_(main) {}

  /// The stream of the work. Memory that only the work uses belongs to it.
  Cuda cuda() const { return work_.cuda(); }

  /// Enqueues work, which may begin when everything on the main stream so far is done. decide(cuda, condition) launches
  /// a kernel that sets the condition; work() enqueues the work on cuda().
  template <class Decide, class Work>
  void fork_if(const Cuda& main, const Decide& decide, const Work& work) {
    gate_.fork(main);
    const Cuda gate = gate_.cuda();
    if (usual_iterations() == IterationsBy::host || !is_captured(gate)) {
      work_.fork(gate);
      work();
      work_.join(gate);
    } else {
      const cudaGraphConditionalHandle handle = make_handle(gate);
      decide(gate, LoopCondition(handle));
      capture_into(enqueue_conditional(gate, handle), work_.cuda(), work);
    }
  }
  /// Until join_if(): a stream for what follows the work, whether or not the work is done. What is enqueued there last
  /// must be a kernel, since a kernel of the main stream may be launched early (device/launch.cuh), but not behind a
  /// conditional node.
  Cuda behind() const { return gate_.cuda(); }
  /// What is enqueued on the main stream from now on waits for the work of fork_if() and for what follows it.
  void join_if(const Cuda& main) { gate_.join(main); }

  /// As in Branch, for work that is done in any case.
  void fork(const Cuda& main) { work_.fork(main); }
  void join(const Cuda& main) { work_.join(main); }

 private:
  static bool is_captured(const Cuda& cuda);
  /// Returns a handle for a conditional node of the graph that is being captured.
  static cudaGraphConditionalHandle make_handle(const Cuda& cuda);
  /// Enqueues a conditional node; returns its body, to be filled.
  static cudaGraph_t enqueue_conditional(const Cuda& cuda, cudaGraphConditionalHandle handle);

  Branch gate_;  ///< decides, then has the conditional node
  Branch work_;
};

}  // namespace dropmd
