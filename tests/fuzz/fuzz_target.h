#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace dropmd {

/// Reads an input of libFuzzer as tests/fuzz/hostile_readings.h says for the name. Where the reader does not keep its
/// promises, it ends the program, which is how libFuzzer notices. The sanitizers check bounds, and libFuzzer checks the
/// time. Returns 0.
int fuzz_once(std::string_view name, const std::uint8_t* data, std::size_t size);

}  // namespace dropmd
