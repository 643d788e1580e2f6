#include "maps/copy_array.h"

#include <algorithm>
#include <cstring>

#include "core/parallel_for.h"

namespace dropmd {

void copy_array(Cpu cpu, void* to, const void* from, std::size_t bytes) {
  constexpr std::size_t kPart = std::size_t{1} << 20U;
  parallel_for(cpu, (bytes + kPart - 1) / kPart, [&](std::size_t part) {
    const std::size_t begin = part * kPart;
    std::memcpy(static_cast<char*>(to) + begin, static_cast<const char*>(from) + begin, std::min(kPart, bytes - begin));
  });
}

}  // namespace dropmd
