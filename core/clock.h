#pragma once

#include <chrono>
#include <functional>

namespace dropmd {

/// A monotonic clock: seconds since some fixed moment. Tests supply their own.
using Clock = std::function<double()>;

/// Seconds of std::chrono::steady_clock, the clock that runs use.
inline double steady_seconds() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

}  // namespace dropmd
