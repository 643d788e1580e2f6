#pragma once

#include "device/stream.cuh"

namespace dropmd {

/// A point in the order of a stream, for another stream to wait for. Neither copied nor moved.
class Event {
 public:
  explicit Event(const Stream& stream) {
    stream.activate();
    DROPMD_CUDA(cudaEventCreateWithFlags(&event_, cudaEventDisableTiming), "making an event");
  }
  ~Event() { cudaEventDestroy(event_); }
  Event(const Event&) = delete;
  Event& operator=(const Event&) = delete;

  /// Behind everything that the stream was given so far.
  void record(const Stream& stream) { DROPMD_CUDA(cudaEventRecord(event_, stream.get()), "recording an event"); }
  /// What the stream is given from now on waits for the point that was recorded.
  void hold(const Stream& stream) const {
    DROPMD_CUDA(cudaStreamWaitEvent(stream.get(), event_, 0), "waiting for an event");
  }

 private:
  cudaEvent_t event_ = nullptr;
};

}  // namespace dropmd
