#pragma once

#include <atomic>
#include <cstdint>

namespace dropmd {

/// How many bytes are in use, and how many were at most; from any thread.
class MemoryUse {
 public:
  void add(std::uint64_t bytes) noexcept {
    const std::uint64_t now = now_.fetch_add(bytes) + bytes;
    std::uint64_t most = most_.load();
    while (most < now && !most_.compare_exchange_weak(most, now)) {
    }
  }
  void remove(std::uint64_t bytes) noexcept { now_.fetch_sub(bytes); }

  std::uint64_t now() const noexcept { return now_.load(); }
  /// Since the last reset_most().
  std::uint64_t most() const noexcept { return most_.load(); }
  void reset_most() noexcept { most_.store(now_.load()); }

 private:
  std::atomic<std::uint64_t> now_ = 0, most_ = 0;
};

/// Of all device buffers of this process, on whatever device: what tests hold estimates to.
inline MemoryUse& device_memory_use() {
  static MemoryUse use;
  return use;
}

}  // namespace dropmd
