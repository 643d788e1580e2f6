#pragma once

#include <chrono>
#include <functional>

namespace dropmd {

/// Seconds since some fixed moment, never running backwards; a test hands in its own.
using Clock = std::function<double()>;

inline double steady_seconds() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

}  // namespace dropmd
