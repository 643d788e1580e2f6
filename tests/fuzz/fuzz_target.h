#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace dropmd {

/// Reads an input of libFuzzer's as tests/fuzz/hostile_readings.h says under the name, and ends the program, which is
/// how libFuzzer learns of it, where the reader does not keep its promises. Bounds are the sanitizers' matter, time is
/// libFuzzer's. Returns 0.
int fuzz_once(std::string_view name, const std::uint8_t* data, std::size_t size);

}  // namespace dropmd
