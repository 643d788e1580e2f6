#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#if DROPMD_HAS_GSD
#include <gsd.h>
#endif

/// Files of the GSD library. Without the library, there is no GsdFile.
namespace dropmd {

/// An array of a frame: `n` rows of `m` numbers.
struct GsdChunk {
  const char* name;
  std::uint8_t type;  ///< gsd_type
  std::uint64_t n;
  std::uint32_t m;
  std::string data;  ///< bytes of the numbers
};
using GsdFrame = std::vector<GsdChunk>;

#if DROPMD_HAS_GSD

/// A GSD file. Failures throw OutputError with `name`, which is what messages call it.
class GsdFile {
 public:
  enum class Open : std::uint8_t {
    create,  ///< the file must not exist
    replace,
    append,
    read
  };
  GsdFile(const std::filesystem::path& path, Open open, std::filesystem::path name);
  GsdFile(GsdFile&& other) noexcept;
  GsdFile& operator=(GsdFile&&) = delete;
  ~GsdFile();

  std::uint64_t n_frames() { return gsd_get_nframes(&handle_); }
  /// Returns those arrays of a frame that have one of the names, in this order.
  GsdFrame read(std::uint64_t frame, const std::vector<const char*>& names);

  /// Appends a frame, which the library may keep in memory until flush().
  void write(const GsdFrame& frame);
  /// Brings all frames to the storage. If that fails, those since the last flush() are taken out of the file.
  void flush();
  void close();

 private:
  void undo() noexcept;
  void free_memory() noexcept;

  std::filesystem::path name_;
  gsd_handle handle_{};
  bool open_ = false;
  /// What undo() brings back: the header, the first entries of the index, and the length of the file.
  gsd_header header_{};
  std::vector<gsd_index_entry> first_entries_;
  std::uint64_t n_entries_ = 0;
  std::int64_t length_ = 0;
};

#endif

}  // namespace dropmd
