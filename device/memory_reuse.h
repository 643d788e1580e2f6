#pragma once

namespace dropmd {

/// While it exists, device memory that is freed and page-locked memory stay with the process and serve the next
/// allocations, as when one run on a device follows another of about the same size. What was not needed is returned
/// when it ends.
class MemoryReuse {
 public:
  /// device: its index.
  explicit MemoryReuse(int device);
  ~MemoryReuse();
  MemoryReuse(const MemoryReuse&) = delete;
  MemoryReuse& operator=(const MemoryReuse&) = delete;

 private:
  int device_;
};

}  // namespace dropmd
