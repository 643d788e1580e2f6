#pragma once

#include <cstdint>
#include <vector>

namespace dropmd {

/// Returns the bytes of memory that a vector holds.
template <class T>
std::uint64_t bytes_of(const std::vector<T>& values) {
  return std::uint64_t{values.capacity()} * sizeof(T);
}

/// Returns the bytes of memory that several vectors hold.
template <class... Vectors>
std::uint64_t bytes_of_all(const Vectors&... vectors) {
  return (std::uint64_t{0} + ... + bytes_of(vectors));
}

}  // namespace dropmd
