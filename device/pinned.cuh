#pragma once

#include <cstddef>
#include <span>
#include <type_traits>

#include "device/pinned_memory.cuh"

namespace dropmd {

/// Values in page-locked host memory, by default one: copies to them need no staging and overlap with computing.
/// Neither copyable nor movable.
template <class T>
class Pinned {
 public:
  static_assert(std::is_trivially_copyable_v<T>);

  explicit Pinned(std::size_t n = 1) : block_(allocate_pinned(n * sizeof(T))), size_(n) {}
  ~Pinned() { free_pinned(block_); }
  Pinned(const Pinned&) = delete;
  Pinned& operator=(const Pinned&) = delete;

  T& operator*() const { return *get(); }
  T* operator->() const { return get(); }
  T* get() const { return static_cast<T*>(block_.at); }
  T& operator[](std::size_t i) const { return get()[i]; }
  std::span<T> all() const { return {get(), size_}; }

 private:
  PinnedBlock block_;
  std::size_t size_;
};

}  // namespace dropmd
