#pragma once

#include "device/stream.cuh"

namespace dropmd {

/// A point in the order of a stream, for which another stream can wait. Neither copyable nor movable.
class Event {
 public:
  explicit Event(const Stream& stream) {
    stream.activate();
    DROPMD_CUDA(cudaEventCreateWithFlags(&event_, cudaEventDisableTiming), "making an event");
  }
  ~Event() { cudaEventDestroy(event_); }
  Event(const Event&) = delete;
  Event& operator=(const Event&) = delete;

  /// Marks the point after everything enqueued on the stream so far.
  void record(const Stream& stream) { DROPMD_CUDA(cudaEventRecord(event_, stream.get()), "recording an event"); }
  /// Work that is enqueued on the stream from now on waits for the recorded point.
  void hold(const Stream& stream) const {
    DROPMD_CUDA(cudaStreamWaitEvent(stream.get(), event_, 0), "waiting for an event");
  }

 private:
  cudaEvent_t event_ = nullptr;
};

}  // namespace dropmd
