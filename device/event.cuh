#pragma once

#include "device/stream.cuh"

namespace dropmd {

/// A point in the order of a stream, for which another stream or the host can wait. Neither copyable nor movable.
class Event {
 public:
  explicit Event(const Stream& stream) {
    stream.activate();
    // The host waits in the same way as for a stream, which the flags of the device determine.
    unsigned flags = 0;
    DROPMD_CUDA(cudaGetDeviceFlags(&flags), "making an event");
    const bool sleeps = (flags & cudaDeviceScheduleMask) == cudaDeviceScheduleBlockingSync;
    DROPMD_CUDA(
        cudaEventCreateWithFlags(&event_, cudaEventDisableTiming | (sleeps ? cudaEventBlockingSync : cudaEventDefault)),
        "making an event");
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
  /// Waits for the recorded point; throws DeviceError if the work before it failed.
  void synchronize(const char* doing) const { DROPMD_CUDA(cudaEventSynchronize(event_), doing); }

 private:
  cudaEvent_t event_ = nullptr;
};

}  // namespace dropmd
