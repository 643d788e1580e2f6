#pragma once

#include <cstddef>

namespace dropmd {

/// Counts what this thread takes by operator new while it lives. It counts nothing where a sanitizer has the memory.
class HeldMemory {
 public:
  HeldMemory();
  ~HeldMemory();
  HeldMemory(const HeldMemory&) = delete;
  HeldMemory& operator=(const HeldMemory&) = delete;

  static bool is_counting();
  /// The most bytes that were held at one time, beyond those at the begin.
  std::size_t most() const;
};

}  // namespace dropmd
