#pragma once

#include <cstdint>
#include <optional>

#include "device/buffer.cuh"
#include "device/pinned.cuh"

namespace dropmd {

/// What a kernel noticed: a code that its module explains, and the index of what was wrong.
struct DeviceFault {
  std::uint8_t code;
  std::int64_t index;
};

/// A kernel's side of an ErrorRecord. The fault of the lowest index stays, whatever order the threads come in.
class ErrorRecordView {
 public:
  ErrorRecordView() = default;
  explicit ErrorRecordView(unsigned long long* d_first) : d_first_(d_first) {}

#if defined(__CUDACC__)
  __device__ void report(std::uint8_t code, std::int64_t index) const {
    atomicMin(d_first_, static_cast<unsigned long long>(index) << 8 | code);
  }

  /// Whether something was reported, before this kernel or perhaps during it.
  __device__ bool any() const { return *static_cast<const volatile unsigned long long*>(d_first_) != ~0ULL; }
#endif

 private:
  unsigned long long* d_first_ = nullptr;
};

/// Errors that only the device can notice; read by the host where it synchronises anyway. The stream outlives it.
class ErrorRecord {
 public:
  explicit ErrorRecord(const Stream& stream) : stream_(&stream), d_first_(stream) {
    d_first_.resize(1);
    clear();
  }

  ErrorRecordView view() const { return ErrorRecordView(d_first_.data()); }

  /// Forgets the fault, in stream order.
  void clear() {
    DROPMD_CUDA(cudaMemsetAsync(d_first_.data(), 0xFF, sizeof(unsigned long long), stream_->get()),
                "clearing the device's error record");
  }

  /// Waits for the stream; the fault of the lowest index since the last clear.
  std::optional<DeviceFault> read() const {
    start_reading();
    stream_->synchronize("reading the device's error record");
    return what_was_read();
  }

  /// The same in two parts, for those who wait for something else anyway.
  void start_reading() const { d_first_.download({h_first_.get(), 1}); }
  std::optional<DeviceFault> what_was_read() const {
    if (*h_first_ == ~0ULL) return std::nullopt;
    return DeviceFault{static_cast<std::uint8_t>(*h_first_ & 0xFF), static_cast<std::int64_t>(*h_first_ >> 8)};
  }

 private:
  const Stream* stream_;
  DeviceBuffer<unsigned long long> d_first_;
  Pinned<unsigned long long> h_first_;
};

}  // namespace dropmd
