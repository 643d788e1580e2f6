#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace dropmd {

/// The header of a DCD file of CHARMM, whose first record counts the frames that follow.
struct DcdHeader {
  std::int32_t n_frames = 0;
  std::int32_t first_step = 0;  ///< of the first frame
  std::int32_t every = 1;       ///< steps between frames
  std::int32_t last_step = 0;   ///< of the last frame
  float timestep = 0;           ///< in AKMA units
  std::int32_t n_atoms = 0;
  std::string title{};  ///< two lines

  /// Returns the bytes of the header, in the processor's byte order.
  std::string bytes() const;
};

/// Bytes of the header, whatever it contains.
inline constexpr std::size_t kDcdHeaderBytes = 276;
/// A part of the header, from its first byte to the byte after it: number of frames, first step, every, last step.
inline constexpr std::size_t kDcdCounts = 8, kDcdCountsEnd = 24;

/// The CHARMM unit of time in fs: that in which kcal/mol, A and g/mol are units without a factor.
inline constexpr double kAkmaTime = 48.88821291;

/// Bytes of a frame: three records, of x, y and z in A.
constexpr std::uint64_t dcd_frame_bytes(std::size_t n_atoms) { return 3 * (std::uint64_t{8} + 4 * n_atoms); }

/// Returns the counts of a header; zeros for bytes that are too short for one.
DcdHeader dcd_counts(std::string_view first_bytes);

}  // namespace dropmd
