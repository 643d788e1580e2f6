#include <sanitizer/allocator_interface.h>

#include <atomic>
#include <cstdio>
#include <cstdlib>

#include "tests/fuzz/fuzz_target.h"
#include "tests/fuzz/hostile_readings.h"

namespace dropmd {

namespace {

/// The bytes that this program holds by malloc and new, and their maximum since the last reset.
class HeldBytes {
 public:
  static void reset() {
    static const bool is_counting =
        __sanitizer_install_malloc_and_free_hooks([](const volatile void*, std::size_t size) { grow(size); },
                                                  [](const volatile void* block) { shrink(block); }) > 0;
    if (!is_counting) complain("memory cannot be counted");
    held_ = 0, most_ = 0;
  }
  static std::int64_t most() { return most_; }

  [[noreturn]] static void complain(const std::string& what) {
    std::fprintf(stderr, "fuzz: %s\n", what.c_str());
    std::abort();
  }

 private:
  static void grow(std::size_t size) {
    const std::int64_t held = held_ += static_cast<std::int64_t>(size);
    if (held > most_) most_ = held;
  }
  static void shrink(const volatile void* block) {
    const void* const begin = const_cast<const void*>(block);
    if (begin != nullptr) held_ -= static_cast<std::int64_t>(__sanitizer_get_allocated_size(begin));
  }

  static inline std::atomic<std::int64_t> held_ = 0, most_ = 0;
};

}  // namespace

int fuzz_once(std::string_view name, const std::uint8_t* data, std::size_t size) {
  const HostileReading& reading = hostile_reading(name);
  const std::string bytes = reading.file_of({reinterpret_cast<const char*>(data), size});
  const MemoryFile file(bytes);
  HeldBytes::reset();
  const std::string fault = fault_of(reading, file.path());
  const auto bound = static_cast<std::int64_t>(reading.bytes_per_byte * bytes.size() + reading.fixed_bytes);
  if (HeldBytes::most() > bound)
    HeldBytes::complain(fmt::format("{} bytes of memory for a file of {}", HeldBytes::most(), bytes.size()));
  if (!fault.empty()) HeldBytes::complain(fault);
  return 0;
}

}  // namespace dropmd
