#pragma once

#include <cstdint>
#include <optional>

#include "device/buffer.cuh"
#include "device/pinned.cuh"

namespace dropmd {

/// A fault that a kernel detected: a code that its module defines, and an index.
struct DeviceFault {
  std::uint8_t code;
  std::int64_t index;
};

/// The kernels' interface to an ErrorRecord. The fault with the lowest index is kept, in whatever order threads report.
class ErrorRecordView {
 public:
  ErrorRecordView() = default;
  ErrorRecordView(unsigned long long* d_first, std::uint32_t* h_any) : d_first_(d_first), h_any_(h_any) {}

  /// For kernels that are compiled at run time. They report a fault by an atomic minimum of first(), in device memory,
  /// with 256 times its index plus its code, and then set any_on_host(), in host memory, to 1.
  unsigned long long* first() const { return d_first_; }
  std::uint32_t* any_on_host() const { return h_any_; }

#if defined(__CUDACC__)
  __device__ void report(std::uint8_t code, std::int64_t index) const {
    atomicMin(d_first_, static_cast<unsigned long long>(index) << 8 | code);
    *static_cast<volatile std::uint32_t*>(h_any_) = 1;
  }

  /// Reports what another record has in first(), unless that is ~0: no fault.
  __device__ void take_over(unsigned long long first) const {
    if (first != ~0ULL) report(static_cast<std::uint8_t>(first & 0xFF), static_cast<std::int64_t>(first >> 8));
  }

  /// Returns whether a fault was reported before this kernel, or possibly during it.
  __device__ bool any() const { return *static_cast<const volatile unsigned long long*>(d_first_) != ~0ULL; }
#endif

 private:
  unsigned long long* d_first_ = nullptr;
  std::uint32_t* h_any_ = nullptr;
};

/// Records errors that only the device can detect; the host reads it where it synchronises anyway. The stream must
/// outlive it; the destructor waits for it, since kernels write to the record's host memory.
class ErrorRecord {
 public:
  explicit ErrorRecord(const Stream& stream) : stream_(&stream), d_first_(stream) {
    d_first_.resize(1);
    clear();
  }
  ~ErrorRecord() { cudaStreamSynchronize(stream_->get()); }
  ErrorRecord(const ErrorRecord&) = delete;
  ErrorRecord& operator=(const ErrorRecord&) = delete;

  ErrorRecordView view() const { return {d_first_.data(), h_any_.get()}; }

  /// Clears the fault, in stream order.
  void clear() {
    DROPMD_CUDA(cudaMemsetAsync(d_first_.data(), 0xFF, sizeof(unsigned long long), stream_->get()),
                "clearing the device's error record");
    DROPMD_CUDA(cudaMemsetAsync(h_any_.get(), 0, sizeof(std::uint32_t), stream_->get()),
                "clearing the device's error record");
  }

  /// Waits for the stream and returns the fault with the lowest index since the last clear().
  std::optional<DeviceFault> read() const {
    start_reading();
    stream_->synchronize("reading the device's error record");
    return what_was_read();
  }

  /// Returns, after a wait for the stream, whether there was a fault since the last clear(). Unlike read(), it launches
  /// no kernel.
  bool any() const { return *h_any_ != 0; }

  /// The same as read() in two parts, for callers that wait in any case.
  void start_reading() const { d_first_.store(h_first_); }
  std::optional<DeviceFault> what_was_read() const {
    if (*h_first_ == ~0ULL) return std::nullopt;
    return DeviceFault{static_cast<std::uint8_t>(*h_first_ & 0xFF), static_cast<std::int64_t>(*h_first_ >> 8)};
  }

 private:
  const Stream* stream_;
  DeviceBuffer<unsigned long long> d_first_;
  Pinned<unsigned long long> h_first_;
  Pinned<std::uint32_t> h_any_;  ///< kernels write it
};

}  // namespace dropmd
