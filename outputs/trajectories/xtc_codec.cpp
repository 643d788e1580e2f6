#include "outputs/trajectories/xtc_codec.h"

#if DROPMD_HAS_XDR

#include <fmt/core.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <chemfiles/files/XDRFile.hpp>
#include <cmath>
#include <exception>
#include <limits>
#include <system_error>

#include "core/errors.h"
#include "outputs/trajectories/trajectory_writer.h"

namespace dropmd {
namespace {

constexpr std::int32_t kMagic = 1995;
constexpr std::size_t kBoxNumbers = 9;
/// The codec reads beyond its table of sizes if every atom is farther from the one before, in grid points, than this.
constexpr double kMostGridPoints = 2'600'000;

void require_in_bounds(const std::vector<float>& positions) {
  const auto beyond = std::find_if(positions.begin(), positions.end(),
                                   [](float x) { return !(std::abs(static_cast<double>(x)) <= kXtcBound); });
  if (beyond == positions.end()) return;
  const auto k = static_cast<std::size_t>(beyond - positions.begin());
  throw UnfitFrame(
      fmt::format("atom {} is at {} = {:.7g}, but an .xtc file has coordinates from {} to {} (use "
                  "a trajectory that ends in .cif, .gsd or .xyz)",
                  k / 3 + 1, "xyz"[k % 3], *beyond, -kXtcBound, kXtcBound));
}

void require_near(const std::vector<float>& positions) {
  double least = std::numeric_limits<double>::infinity();
  for (std::size_t k = 3; k < positions.size(); k += 3) {
    double distance = 0;
    for (std::size_t j = k; j < k + 3; ++j)
      distance += std::abs(static_cast<double>(positions[j]) - static_cast<double>(positions[j - 3]));
    least = std::min(least, distance);
  }
  if (positions.size() > 3 && least * kXtcPrecision > kMostGridPoints)
    throw UnfitFrame(
        fmt::format("every atom is farther than {} from the previous one, but an .xtc file cannot hold that "
                    "(use a trajectory that ends in .cif, .gsd or .xyz)",
                    kMostGridPoints / kXtcPrecision));
}

std::string path_of(int fd) { return fmt::format("/proc/self/fd/{}", fd); }

[[noreturn]] void throw_system_error(std::string_view action) {
  throw OutputError(fmt::format("an .xtc frame in memory: {}: {}", action, std::generic_category().message(errno)));
}

/// Calls use(file) with the file in memory, which is emptied if it is opened for writing.
template <class Use>
void with_file(const FileDescriptor& memory, chemfiles::File::Mode mode, const Use& use) {
  try {
    chemfiles::XDRFile file(path_of(memory.get()), mode);
    use(file);
  } catch (const OutputError&) {
    throw;
  } catch (const std::exception& reason) {
    throw OutputError(fmt::format("an .xtc frame in memory: {}", reason.what()));
  }
}

}  // namespace

XtcCodec::XtcCodec() : memory_(::memfd_create("dropmd-xtc", MFD_CLOEXEC)) {
  if (!memory_.is_open()) throw_system_error("cannot create the file");
}

std::string XtcCodec::encode(std::int64_t step, double time, const std::vector<float>& positions) {
  require_in_bounds(positions);
  const std::size_t n_atoms = positions.size() / 3;
  const bool compressed = n_atoms > kXtcPlainAtoms;
  if (compressed) require_near(positions);
  with_file(memory_, chemfiles::File::WRITE, [&](chemfiles::XDRFile& file) {
    file.write_single_i32(kMagic);
    file.write_single_i32(static_cast<std::int32_t>(n_atoms));
    file.write_single_i32(static_cast<std::int32_t>(step));
    file.write_single_f32(static_cast<float>(time));
    for (std::size_t k = 0; k < kBoxNumbers; ++k) file.write_single_f32(0);
    file.write_single_i32(static_cast<std::int32_t>(n_atoms));
    if (compressed)
      file.write_gmx_compressed_floats(positions, kXtcPrecision);
    else
      file.write_f32(positions.data(), positions.size());
  });
  struct stat status {};
  if (::fstat(memory_.get(), &status) != 0) throw_system_error("cannot examine the file");
  std::string bytes(static_cast<std::size_t>(status.st_size), '\0');
  if (::pread(memory_.get(), bytes.data(), bytes.size(), 0) != status.st_size)
    throw_system_error("cannot read the file");
  return bytes;
}

std::vector<float> XtcCodec::decode(std::string_view bytes) {
  if (::ftruncate(memory_.get(), 0) != 0 ||
      ::pwrite(memory_.get(), bytes.data(), bytes.size(), 0) != static_cast<ssize_t>(bytes.size()))
    throw_system_error("cannot write the file");
  std::vector<float> positions;
  with_file(memory_, chemfiles::File::READ, [&](chemfiles::XDRFile& file) {
    file.seek(kXtcHeaderBytes - sizeof(std::int32_t));
    const auto n_atoms = static_cast<std::size_t>(file.read_single_i32());
    positions.resize(3 * n_atoms);
    if (n_atoms > kXtcPlainAtoms)
      file.read_gmx_compressed_floats(positions);
    else
      file.read_f32(positions.data(), positions.size());
  });
  return positions;
}

}  // namespace dropmd

#endif
