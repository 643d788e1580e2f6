#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "outputs/files/file_descriptor.h"

namespace dropmd {

/// Bytes of the header of a frame of an XTC file of GROMACS, which ends with the number of atoms.
inline constexpr std::size_t kXtcHeaderBytes = 56;
/// Up to this many atoms are stored as plain numbers.
inline constexpr std::size_t kXtcPlainAtoms = 9;
/// Bytes of the numbers that precede the compressed positions of more atoms, the last of which is their length.
inline constexpr std::size_t kXtcCompressionBytes = 36;
/// Grid points per nm of compressed positions.
inline constexpr float kXtcPrecision = 1000;
/// Bound of coordinates, nm. The codec computes with 32-bit integers, and in a buffer that may be too short for larger
/// coordinates.
inline constexpr double kXtcBound = 268435;

/// Converts frames to bytes and back, with the codec of the library chemfiles, which reads and writes files: here one
/// in memory. Throws OutputError. Without that library it cannot be linked.
class XtcCodec {
 public:
  XtcCodec();

  /// Returns the bytes of a frame, without a box. step: the format has its last 32 bits. time: ps. positions:
  /// [n_atoms][3] nm. Throws OutputError for coordinates beyond kXtcBound.
  std::string encode(std::int64_t step, double time, const std::vector<float>& positions);
  /// Returns the positions of a frame of encode(), [n_atoms][3] nm.
  std::vector<float> decode(std::string_view bytes);

 private:
  FileDescriptor memory_;
};

}  // namespace dropmd
