#include "tests/support/held_memory.h"

#include <malloc.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <new>

namespace dropmd {
namespace {

thread_local bool t_is_counting = false;
thread_local std::int64_t t_held = 0, t_most = 0;

}  // namespace

HeldMemory::HeldMemory() { t_held = 0, t_most = 0, t_is_counting = true; }
HeldMemory::~HeldMemory() { t_is_counting = false; }

std::size_t HeldMemory::most() const { return static_cast<std::size_t>(t_most); }

#ifdef __SANITIZE_ADDRESS__
bool HeldMemory::is_counting() { return false; }
#else
bool HeldMemory::is_counting() { return true; }
#endif

}  // namespace dropmd

#ifndef __SANITIZE_ADDRESS__
// The other forms of new and delete call these, but for those of over-aligned types.
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
