#pragma once

#include <memory>
#include <new>
#include <utility>
#include <vector>

namespace dropmd {

/// An allocator that leaves elements without a given value uninitialised.
template <class T>
struct RawAllocator : std::allocator<T> {
  // NOLINTBEGIN(readability-identifier-naming): the names that the standard looks for
  template <class U>
  struct rebind {
    using other = RawAllocator<U>;
  };
  // NOLINTEND(readability-identifier-naming)
  template <class U>
  void construct(U* place) {
    ::new (static_cast<void*>(place)) U;
  }
  template <class U, class... Arguments>
  void construct(U* place, Arguments&&... arguments) {
    ::new (static_cast<void*>(place)) U(std::forward<Arguments>(arguments)...);
  }
};

/// A vector whose resize() does not write. Large arrays that are overwritten anyway are then touched only once, by the
/// threads that fill them.
template <class T>
using RawVector = std::vector<T, RawAllocator<T>>;

}  // namespace dropmd
