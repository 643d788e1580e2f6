#include "device/memory_reuse.h"

namespace dropmd {

MemoryReuse::MemoryReuse(int device) : device_(device) {}
MemoryReuse::~MemoryReuse() = default;

}  // namespace dropmd
