#include "maps/copy_array.h"

#include <algorithm>
#include <cstdint>
#include <cstring>

namespace dropmd {

void copy_array(Cpu cpu, void* to, const void* from, std::size_t bytes) {
  constexpr std::size_t kPart = std::size_t{1} << 20U;
  const auto parts = static_cast<std::int64_t>((bytes + kPart - 1) / kPart);
#pragma omp parallel for schedule(static) num_threads(cpu.threads) if (parts > 1)
  for (std::int64_t part = 0; part < parts; ++part) {
    const std::size_t begin = static_cast<std::size_t>(part) * kPart;
    std::memcpy(static_cast<char*>(to) + begin, static_cast<const char*>(from) + begin, std::min(kPart, bytes - begin));
  }
}

}  // namespace dropmd
