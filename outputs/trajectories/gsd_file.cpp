#include "outputs/trajectories/gsd_file.h"

#if DROPMD_HAS_GSD

#include <fcntl.h>
#include <fmt/core.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <utility>

#include "core/errors.h"
#include "core/version.h"
#include "outputs/files/file_descriptor.h"
#include "outputs/files/file_writer.h"

namespace dropmd {
namespace {

namespace fs = std::filesystem;

/// Throws for an error code of the library.
void require(int result, const fs::path& name, std::string_view action) {
  if (result == GSD_SUCCESS) return;
  if (result == GSD_ERROR_IO) throw_output_error(name, action, errno);
  const std::string_view reason = result == GSD_ERROR_NOT_A_GSD_FILE             ? "it is not a GSD file"
                                  : result == GSD_ERROR_FILE_CORRUPT             ? "it is damaged"
                                  : result == GSD_ERROR_INVALID_GSD_FILE_VERSION ? "it is of another version of GSD"
                                  : result == GSD_ERROR_MEMORY_ALLOCATION_FAILED ? "there is not enough memory"
                                                                                 : "the GSD library rejects it";
  throw OutputError(fmt::format("{}: {}: {}", name.string(), action, reason));
}

/// The library would choose other permissions.
void create_empty(const fs::path& path, const fs::path& name, bool replace) {
  int fd = -1;
  do fd = ::open(path.c_str(), O_WRONLY | O_CLOEXEC | O_CREAT | (replace ? 0 : O_EXCL), kFileMode);
  while (fd < 0 && errno == EINTR);
  if (fd < 0 && errno == EEXIST) throw OutputError(exists_message(name));
  if (fd < 0) throw_output_error(name, "cannot create the file", errno);
  const FileDescriptor closed(fd);
}

}  // namespace

GsdFile::GsdFile(const fs::path& path, Open open, fs::path name) : name_(std::move(name)) {
  const bool is_new = open == Open::create || open == Open::replace;
  const auto flags = open == Open::read ? GSD_OPEN_READONLY : GSD_OPEN_READWRITE;
  if (is_new) create_empty(path, name_, open == Open::replace);
  const int result = is_new ? gsd_create_and_open(&handle_, path.c_str(), fmt::format("dropmd {}", kVersion).c_str(),
                                                  "hoomd", gsd_make_version(1, 4), flags, /*exclusive_create=*/0)
                            : gsd_open(&handle_, path.c_str(), flags);
  if (result != GSD_SUCCESS) {
    const int error_number = errno;
    handle_.fd = -1;                                   // the library has closed it,
    if (handle_.name_map.v != nullptr) free_memory();  // and keeps the memory
    errno = error_number;
    require(result, name_, is_new ? "cannot create the file" : "cannot open the file");
  }
  open_ = true;
}

GsdFile::GsdFile(GsdFile&& other) noexcept
    : name_(std::move(other.name_)), handle_(other.handle_), open_(std::exchange(other.open_, false)) {}

GsdFile::~GsdFile() {
  if (open_) free_memory();
}

GsdFrame GsdFile::read(std::uint64_t frame, const std::vector<const char*>& names) {
  GsdFrame chunks;
  for (const char* const name : names) {
    const gsd_index_entry* const mapped = gsd_find_chunk(&handle_, frame, name);
    if (mapped == nullptr) continue;
    gsd_index_entry entry;  // the library maps entries where the file has them, at any alignment
    std::memcpy(&entry, mapped, sizeof entry);
    const std::size_t size = gsd_sizeof_type(static_cast<gsd_type>(entry.type));
    const auto length = static_cast<std::uint64_t>(handle_.file_size);
    if (size == 0 || entry.M == 0 || entry.N > length / size / entry.M)
      require(GSD_ERROR_FILE_CORRUPT, name_, "cannot read what the run wrote");
    GsdChunk chunk{name, entry.type, entry.N, entry.M, std::string(size * entry.N * entry.M, '\0')};
    require(gsd_read_chunk(&handle_, chunk.data.data(), &entry), name_, "cannot read what the run wrote");
    chunks.push_back(std::move(chunk));
  }
  return chunks;
}

void GsdFile::write(const GsdFrame& frame) {
  struct stat file {};
  if (::fstat(handle_.fd, &file) != 0) throw_output_error(name_, "cannot examine the file", errno);
  if (file.st_size < handle_.file_size)  // the library has mapped it: what is gone must not be read
    throw OutputError(
        fmt::format("{}: another program cut it to {} bytes of {} (leave a run's files alone while it "
                    "writes them)",
                    name_.string(), file.st_size, handle_.file_size));
  if (handle_.buffer_index.size == 0) {
    constexpr std::size_t kMostEntries = 64;  // that a frame adds
    header_ = handle_.header;
    n_entries_ = handle_.file_index.size;
    length_ = handle_.file_size;
    const gsd_index_entry* const entries = handle_.file_index.data;
    first_entries_.assign(entries, entries + std::min(n_entries_, kMostEntries));
  }
  for (const GsdChunk& chunk : frame) {
    const int result = gsd_write_chunk(&handle_, chunk.name, static_cast<gsd_type>(chunk.type), chunk.n, chunk.m, 0,
                                       chunk.data.data());
    if (result == GSD_SUCCESS) continue;
    const int error_number = errno;
    undo();
    errno = error_number;
    require(result, name_, "cannot write");
  }
  gsd_end_frame(&handle_);
}

/// gsd_flush() does not notice if the index could not grow, and then writes over its beginning. But it cannot read the
/// index again either, and is left without entries.
void GsdFile::flush() {
  errno = 0;
  int result = gsd_flush(&handle_);
  if (result == GSD_SUCCESS && handle_.file_index.data == nullptr) result = GSD_ERROR_IO;
  if (result == GSD_SUCCESS) return;
  const int error_number = errno != 0 ? errno : ENOSPC;
  undo();
  errno = error_number;
  require(result, name_, "cannot write");
}

/// The library writes its header and the index in place.
void GsdFile::undo() noexcept {
  const auto write_at = [&](const void* data, std::size_t bytes, std::uint64_t at) {
    return ::pwrite(handle_.fd, data, bytes, static_cast<off_t>(at)) == static_cast<ssize_t>(bytes);
  };
  const std::uint64_t index = header_.index_location, entry = sizeof(gsd_index_entry);
  const std::uint64_t n_cleared =
      std::min<std::uint64_t>(handle_.buffer_index.size, header_.index_allocated_entries - n_entries_);
  const std::vector<gsd_index_entry> none(n_cleared, gsd_index_entry{});
  // Parts that cannot be written have not been written before.
  static_cast<void>(write_at(none.data(), n_cleared * entry, index + n_entries_ * entry));
  static_cast<void>(write_at(first_entries_.data(), first_entries_.size() * entry, index));
  static_cast<void>(write_at(&header_, sizeof header_, 0));
  static_cast<void>(::ftruncate(handle_.fd, length_) == 0);
  free_memory();
}

/// Closes the file without writing frames that are not flushed. The library would stop where it has lost the index.
void GsdFile::free_memory() noexcept {
  open_ = false;
  handle_.open_flags = GSD_OPEN_READONLY;
  if (handle_.file_index.data == nullptr)
    handle_.file_index.data = static_cast<gsd_index_entry*>(std::malloc(sizeof(gsd_index_entry)));  // it frees this
  gsd_close(&handle_);
}

void GsdFile::close() {
  flush();
  open_ = false;
  require(gsd_close(&handle_), name_, "cannot close the file");
}

}  // namespace dropmd

#endif
