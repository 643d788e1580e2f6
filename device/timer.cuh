#pragma once

#include "device/stream.cuh"

namespace dropmd {

/// Measures device time between two points of a stream. Neither copyable nor movable.
class Timer {
 public:
  Timer() = default;
  ~Timer() {
    if (start_ != nullptr) cudaEventDestroy(start_);
    if (stop_ != nullptr) cudaEventDestroy(stop_);
  }
  Timer(const Timer&) = delete;
  Timer& operator=(const Timer&) = delete;

  void start(const Stream& stream) { record(start_, stream); }
  void stop(const Stream& stream) { record(stop_, stream); }

  /// Returns the seconds between start and stop, after the stream was synchronised.
  double seconds() const {
    float milliseconds = 0;
    DROPMD_CUDA(cudaEventElapsedTime(&milliseconds, start_, stop_), "reading a timer");
    return milliseconds * 1e-3;
  }

 private:
  /// Events are created on first use, when the stream's device is current.
  static void record(cudaEvent_t& event, const Stream& stream) {
    if (event == nullptr) DROPMD_CUDA(cudaEventCreate(&event), "making a timer");
    DROPMD_CUDA(cudaEventRecord(event, stream.get()), "starting a timer");
  }

  cudaEvent_t start_ = nullptr;
  cudaEvent_t stop_ = nullptr;
};

}  // namespace dropmd
