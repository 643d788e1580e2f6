#pragma once

#include <utility>

#include "device/check.cuh"

namespace dropmd {

/// The order in which blocks of kernels on several streams start: those of a higher priority before others that wait.
enum class StreamPriority { usual, middle, high };

/// A stream on one device; move-only. All device work names its stream.
class Stream {
 public:
  explicit Stream(int device, StreamPriority priority = StreamPriority::usual) : device_(device) {
    DROPMD_CUDA(cudaSetDevice(device), "choosing the device");
    int least = 0, greatest = 0;
    DROPMD_CUDA(cudaDeviceGetStreamPriorityRange(&least, &greatest), "making a stream");
    const int chosen = priority == StreamPriority::high     ? greatest
                       : priority == StreamPriority::middle ? (least + greatest) / 2
                                                            : least;
    DROPMD_CUDA(cudaStreamCreateWithPriority(&stream_, cudaStreamNonBlocking, chosen), "making a stream");
  }
  ~Stream() {
    if (stream_ != nullptr) cudaStreamDestroy(stream_);
  }
  Stream(Stream&& other) noexcept : device_(other.device_), stream_(std::exchange(other.stream_, nullptr)) {}
  Stream& operator=(Stream&& other) noexcept {
    std::swap(device_, other.device_);
    std::swap(stream_, other.stream_);
    return *this;
  }
  Stream(const Stream&) = delete;
  Stream& operator=(const Stream&) = delete;

  cudaStream_t get() const { return stream_; }
  int device() const { return device_; }

  /// Makes the stream's device current for this thread; to be called before work from a thread that may have used
  /// another device.
  void activate() const { DROPMD_CUDA(cudaSetDevice(device_), "choosing the device"); }

  /// Waits for all work enqueued so far; throws DeviceError if that work failed.
  void synchronize(const char* doing) const { DROPMD_CUDA(cudaStreamSynchronize(stream_), doing); }

 private:
  int device_;
  cudaStream_t stream_ = nullptr;
};

}  // namespace dropmd
