#pragma once

#include <cstddef>
#include <span>
#include <type_traits>

#include "device/check.cuh"

namespace dropmd {

/// Values in page-locked host memory, by default one: copies to them need no staging and overlap with computing.
/// Neither copyable nor movable.
template <class T>
class Pinned {
 public:
  static_assert(std::is_trivially_copyable_v<T>);

  explicit Pinned(std::size_t n = 1) : size_(n) {
    DROPMD_CUDA(cudaMallocHost(&values_, n * sizeof(T)), "allocating page-locked memory");
  }
  ~Pinned() { cudaFreeHost(values_); }
  Pinned(const Pinned&) = delete;
  Pinned& operator=(const Pinned&) = delete;

  T& operator*() const { return *values_; }
  T* operator->() const { return values_; }
  T* get() const { return values_; }
  T& operator[](std::size_t i) const { return values_[i]; }
  std::span<T> all() const { return {values_, size_}; }

 private:
  T* values_ = nullptr;
  std::size_t size_;
};

}  // namespace dropmd
