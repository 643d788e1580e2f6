#pragma once

#include <type_traits>

#include "device/check.cuh"

namespace dropmd {

/// One value in page-locked host memory: copies to it need no staging, and go on beside computing. Neither copied nor
/// moved.
template <class T>
class Pinned {
 public:
  static_assert(std::is_trivially_copyable_v<T>);

  Pinned() { DROPMD_CUDA(cudaMallocHost(&value_, sizeof(T)), "allocating page-locked memory"); }
  ~Pinned() { cudaFreeHost(value_); }
  Pinned(const Pinned&) = delete;
  Pinned& operator=(const Pinned&) = delete;

  T& operator*() const { return *value_; }
  T* operator->() const { return value_; }
  T* get() const { return value_; }

 private:
  T* value_ = nullptr;
};

}  // namespace dropmd
