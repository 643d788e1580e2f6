#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>

#include "device/memory_use.h"
#include "device/pinned.cuh"
#include "device/stream.cuh"

namespace dropmd {

/// Device memory for trivially copyable elements; move-only, allocated and freed in stream order. The stream must
/// outlive the buffer.
template <class T>
class DeviceBuffer {
 public:
  explicit DeviceBuffer(const Stream& stream) : stream_(stream.get()) {}
  ~DeviceBuffer() { release(); }
  DeviceBuffer(DeviceBuffer&& other) noexcept
      : stream_(other.stream_),
        data_(std::exchange(other.data_, nullptr)),
        size_(std::exchange(other.size_, 0)),
        capacity_(std::exchange(other.capacity_, 0)) {}
  DeviceBuffer& operator=(DeviceBuffer&& other) noexcept {
    std::swap(stream_, other.stream_);
    std::swap(data_, other.data_);
    std::swap(size_, other.size_);
    std::swap(capacity_, other.capacity_);
    return *this;
  }
  DeviceBuffer(const DeviceBuffer&) = delete;
  DeviceBuffer& operator=(const DeviceBuffer&) = delete;

  T* data() const { return data_; }
  std::size_t size() const { return size_; }

  /// Sets the size to n elements, whose values are then undefined. The first allocation is exact; later ones grow by at
  /// least half, so that slow growth does not reallocate every time.
  void resize(std::size_t n) {
    if (n > capacity_) allocate(capacity_ == 0 ? n : n + n / 2);
    size_ = n;
  }

  /// The same, with capacity for exactly n elements.
  void fit(std::size_t n) {
    if (n != capacity_) allocate(n);
    size_ = n;
  }

  /// Frees the memory, in stream order. The driver gets it back at the next wait.
  void give_back() { release(); }

  /// Sets all bytes of the elements to zero, in stream order.
  void zero() const {
    if (size_ == 0) return;
    DROPMD_CUDA(cudaMemsetAsync(data_, 0, size_ * sizeof(T), stream_), "clearing device memory");
  }

  /// Replaces the contents by [n] elements from the host, in stream order.
  void upload(std::span<const T> host) {
    resize(host.size());
    if (host.empty()) return;
    DROPMD_CUDA(cudaMemcpyAsync(data_, host.data(), host.size_bytes(), cudaMemcpyHostToDevice, stream_),
                "copying to the device");
  }

  /// Starts a copy of the first host.size() elements to the host; complete after Stream::synchronize().
  void download(std::span<T> host) const {
    if (host.empty()) return;
    DROPMD_CUDA(cudaMemcpyAsync(host.data(), data_, host.size_bytes(), cudaMemcpyDeviceToHost, stream_),
                "copying from the device");
  }
  /// The same for a few elements and page-locked memory: copies as many as both have. It neither waits for the copies
  /// of other streams nor delays them. The stream's device must be current.
  void store(const Pinned<T>& host) const {
    static_assert(sizeof(T) % sizeof(std::uint32_t) == 0);
    const std::size_t n = std::min(size_, host.all().size());
    if (n > 0) store_on_host(stream_, data_, host.get(), n * sizeof(T));
  }

 private:
  void allocate(std::size_t n) {
    release();
    if (n == 0) return;
    DROPMD_CUDA(cudaMallocAsync(&data_, n * sizeof(T), stream_), "allocating device memory");
    capacity_ = n;
    device_memory_use().add(n * sizeof(T));
  }
  void release() {
    if (data_ != nullptr) cudaFreeAsync(data_, stream_);
    device_memory_use().remove(capacity_ * sizeof(T));
    data_ = nullptr;
    capacity_ = size_ = 0;
  }

  cudaStream_t stream_;
  T* data_ = nullptr;
  std::size_t size_ = 0;
  std::size_t capacity_ = 0;
};

}  // namespace dropmd
