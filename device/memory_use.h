#pragma once

#include <atomic>
#include <cstdint>

namespace dropmd {

/// Counts the bytes in use and their maximum; thread-safe.
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

/// The use of all device buffers of this process, on all devices, with which tests compare estimates.
inline MemoryUse& device_memory_use() {
  static MemoryUse use;
  return use;
}

}  // namespace dropmd
