#pragma once

#include "device/cuda.cuh"
#include "device/event.cuh"

namespace dropmd {

/// A second stream on the device of the main one, for work that may run at the same time. fork() and join() may be
/// captured in a graph, in which the work between them becomes a branch. Its kernels usually have priority: a branch is
/// for chains of kernels that leave most of a GPU idle, which one large kernel on the main stream then fills.
class Branch {
 public:
  explicit Branch(const Cuda& main, StreamPriority priority = StreamPriority::high)
      : stream_(main.stream.device(), priority), begin_(stream_), end_(stream_) {}

  /// The stream of the branch. Memory that only the branch uses belongs to it.
  Cuda cuda() const { return {stream_}; }

  /// What is enqueued on the branch from now on waits for what was enqueued on the main stream so far.
  void fork(const Cuda& main) {
    begin_.record(main.stream);
    begin_.hold(stream_);
  }
  /// What is enqueued on the main stream from now on waits for the branch.
  void join(const Cuda& main) {
    end_.record(stream_);
    end_.hold(main.stream);
  }

 private:
  Stream stream_;
  Event begin_, end_;
};

}  // namespace dropmd
