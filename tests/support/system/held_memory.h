#pragma once

#include <cstddef>

namespace dropmd {

/// Counts what this thread allocates by operator new during its lifetime. It counts nothing where a sanitizer manages
/// the memory.
class HeldMemory {
 public:
  HeldMemory();
  ~HeldMemory();
  HeldMemory(const HeldMemory&) = delete;
  HeldMemory& operator=(const HeldMemory&) = delete;

  static bool is_counting();
  /// The most bytes that were held at one time, beyond those at the beginning.
  std::size_t most() const;
};

}  // namespace dropmd
