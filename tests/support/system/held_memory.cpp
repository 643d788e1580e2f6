#include "tests/support/system/held_memory.h"

#include <malloc.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <new>

// g++ and clang++ announce in different ways that a sanitizer manages the memory.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define DROPMD_COUNTS_MEMORY 0
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define DROPMD_COUNTS_MEMORY 0
#endif
#endif
#if !defined(DROPMD_COUNTS_MEMORY)
#define DROPMD_COUNTS_MEMORY 1
#endif

namespace dropmd {
namespace {

thread_local bool t_is_counting = false;
thread_local std::int64_t t_held = 0, t_most = 0;

}  // namespace

HeldMemory::HeldMemory() { t_held = 0, t_most = 0, t_is_counting = true; }
HeldMemory::~HeldMemory() { t_is_counting = false; }

std::size_t HeldMemory::most() const { return static_cast<std::size_t>(t_most); }

bool HeldMemory::is_counting() { return DROPMD_COUNTS_MEMORY != 0; }

}  // namespace dropmd

#if DROPMD_COUNTS_MEMORY
// The other forms of new and delete call these, except for over-aligned types.
void* operator new(std::size_t size) {
  void* const block = std::malloc(std::max<std::size_t>(size, 1));
  if (block == nullptr) throw std::bad_alloc();
  if (dropmd::t_is_counting) {
    dropmd::t_held += static_cast<std::int64_t>(::malloc_usable_size(block));
    dropmd::t_most = std::max(dropmd::t_most, dropmd::t_held);
  }
  return block;
}

void operator delete(void* block) noexcept {
  if (dropmd::t_is_counting && block != nullptr)
    dropmd::t_held -= static_cast<std::int64_t>(::malloc_usable_size(block));
  std::free(block);
}

void operator delete(void* block, std::size_t) noexcept { ::operator delete(block); }
#endif
