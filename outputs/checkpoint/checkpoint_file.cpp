#include "outputs/checkpoint/checkpoint_file.h"

#include <fmt/core.h>
#include <zlib.h>

#include <algorithm>
#include <exception>
#include <fstream>
#include <string_view>

#include "core/errors.h"
#include "outputs/checkpoint/checkpoint_image.h"
#include "outputs/files/atomic_file.h"

namespace dropmd {
namespace {

namespace fs = std::filesystem;

/// HDF5 searches for a file after other data at powers of two from 512 on.
constexpr std::size_t kBlockBytes = 512;
constexpr int kFormat = 1;
constexpr std::string_view kMagic = "dropmd checkpoint";

std::uint32_t crc_of(std::string_view bytes) {
  return static_cast<std::uint32_t>(crc32_z(0, reinterpret_cast<const unsigned char*>(bytes.data()), bytes.size()));
}

std::string block_of(std::string_view image) {
  std::string block = fmt::format("{} {}\nbytes {}\ncrc32 {:08x}\n", kMagic, kFormat, image.size(), crc_of(image));
  block.resize(kBlockBytes, '\n');
  return block;
}

[[noreturn]] void throw_damaged(const fs::path& path) {
  std::error_code error;
  const bool has_previous = fs::exists(previous_checkpoint(path), error);
  throw InputError({path.string()},
                   fmt::format("the checkpoint is damaged: its bytes are not those that were written ({})",
                               has_previous ? "try " + previous_checkpoint(path).string()
                                            : "start again from the run's last structure"));
}

/// Throws InputError unless a file of `size` bytes is a checkpoint of its original length. It is called before the
/// bytes are read, since any large file may be given.
void require_block(const fs::path& path, std::string_view block, std::uintmax_t size) {
  if (!block.starts_with(kMagic) || size <= kBlockBytes)
    throw InputError({path.string()}, "this is not a checkpoint (expected: a checkpoint.h5 that a run wrote)");
  const std::string begin = fmt::format("{} {}\n", kMagic, kFormat);
  if (!block.starts_with(begin))
    throw InputError({path.string()},
                     "this is a checkpoint of another version of dropmd (use the version that wrote it)");
  if (!block.starts_with(begin + fmt::format("bytes {}\n", size - kBlockBytes))) throw_damaged(path);
}

/// Returns the whole file; throws MissingInput if it cannot be read, and InputError unless it is an undamaged
/// checkpoint.
std::string checked_bytes(const fs::path& path) {
  std::error_code error;
  if (!fs::is_regular_file(path, error))
    throw MissingInput({path.string()}, "there is no such checkpoint (expected: a checkpoint.h5 that a run wrote)");
  std::ifstream stream(path, std::ios::binary);
  const std::uintmax_t size = fs::file_size(path, error);
  std::string bytes(error ? 0 : std::min<std::uintmax_t>(size, kBlockBytes), '\0');
  const auto read_from = [&](std::size_t begin) {
    if (error || !stream || !stream.read(bytes.data() + begin, static_cast<std::streamsize>(bytes.size() - begin)))
      throw MissingInput({path.string()}, "cannot read the checkpoint (check its permissions and the disk)");
  };
  read_from(0);
  require_block(path, bytes, size);
  try {
    bytes.resize(size);
  } catch (const std::exception&) {  // std::bad_alloc, std::length_error
    throw InputError({path.string()}, fmt::format("is larger than the memory ({} bytes)", size));
  }
  read_from(kBlockBytes);
  const std::string_view whole = bytes;
  if (whole.substr(0, kBlockBytes) != block_of(whole.substr(kBlockBytes))) throw_damaged(path);
  return bytes;
}

bool is_whole(const fs::path& path) {
  try {
    checked_bytes(path);
    return true;
  } catch (const InputError&) {
    return false;
  }
}

/// A second name for the latest checkpoint, until it replaces the previous one.
fs::path link_beside(const fs::path& kept) { return fs::path(kept) += ".tmp"; }

/// Keeps the existing checkpoint under another name; the original name exists at all times. A damaged checkpoint does
/// not replace a good one.
void keep_previous(const fs::path& path) {
  if (!is_whole(path)) return;
  const fs::path kept = previous_checkpoint(path), link = link_beside(kept);
  std::error_code error;
  fs::remove(link, error);
  // For a symbolic link, the file that it names.
  fs::create_hard_link(fs::canonical(path, error), link, error);
  if (error) {  // a file system without links
    const std::string bytes = checked_bytes(path);
    return write_atomically(kept, /*overwrite=*/true, [&](FileWriter& writer) { writer.write(bytes); });
  }
  fs::rename(link, kept, error);
  if (!error) return;
  std::error_code ignored;
  fs::remove(link, ignored);
  throw_output_error(kept, "cannot keep the previous checkpoint", error.value());
}

}  // namespace

fs::path previous_checkpoint(const fs::path& path) {
  fs::path previous = path;
  previous.replace_filename(path.stem().string() + "-previous" + path.extension().string());
  return previous;
}

void remove_checkpoint_leftovers(const fs::path& path, const std::vector<fs::path>& keep) {
  const fs::path kept = previous_checkpoint(path);
  remove_leftovers(path, keep);
  remove_leftovers(kept, keep);
  std::error_code ignored;
  fs::remove(link_beside(kept), ignored);
}

void write_checkpoint(const fs::path& path, const Checkpoint& checkpoint) {
  write_checkpoint(path, checkpoint_image(checkpoint));
}

void write_checkpoint(const fs::path& path, std::string_view image) {
  write_atomically(path, /*overwrite=*/true, [&](FileWriter& writer) {
    writer.write(block_of(image));
    writer.write(image);
    writer.sync();  // the disk may be full: until here both existing checkpoints stay as they are
    keep_previous(path);
  });
}

Checkpoint read_checkpoint(const fs::path& path) {
  const std::string bytes = checked_bytes(path);
  return checkpoint_of_image(path.string(), std::string_view(bytes).substr(kBlockBytes));
}

}  // namespace dropmd
