#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <span>
#include <string>
#include <string_view>

#include "inputs/trajectories/trajectory_reader.h"

namespace dropmd {

/// A binary file that is read from its beginning to its end.
class BinaryInput {
 public:
  /// kind: what is expected, "a DCD trajectory". Throws InputError.
  BinaryInput(const std::filesystem::path& path, std::string_view kind);

  /// Reads the next n bytes. If there are fewer, it changes nothing and returns false.
  bool read(std::vector<char>& bytes, std::uint64_t n);
  /// Passes over n bytes; false if there are fewer.
  bool skip(std::uint64_t n);
  /// Bytes of the file that were not read.
  std::uint64_t rest() const { return size_ - taken_; }
  ReadShare share() const { return {taken_, size_}; }
  const std::string& file() const { return file_; }

  /// Throws InputError for the file as a whole.
  [[noreturn]] void fail(const std::string& message) const { throw InputError({file_}, message); }

 private:
  std::string file_;
  std::ifstream in_;
  std::uint64_t size_ = 0, taken_ = 0;
};

/// Returns a number of the file; `swapped`: its bytes are in the reverse of the processor's order. `at`: its first
/// byte.
template <class Number>
Number number_at(std::span<const char> bytes, std::size_t at, bool swapped) {
  std::array<char, sizeof(Number)> own{};
  for (std::size_t k = 0; k < own.size(); ++k) own[swapped ? own.size() - 1 - k : k] = bytes[at + k];
  return std::bit_cast<Number>(own);
}

}  // namespace dropmd
