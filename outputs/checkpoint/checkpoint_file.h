#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "core/run/checkpoint.h"
#include "outputs/checkpoint/checkpoint_image.h"

/// checkpoint.h5: an HDF5 file after a block of 512 bytes with its length and CRC-32, so that HDF5's own tools can read
/// it, and this program rejects one that was changed or truncated. docs/file-formats.md has the layout.
namespace dropmd {

/// Writes the checkpoint completely or not at all; the previous file is renamed to checkpoint-previous.h5, or
/// correspondingly if it has another name. Throws OutputError.
void write_checkpoint(const std::filesystem::path& path, const Checkpoint& checkpoint);
/// The same for a checkpoint whose HDF5 file has been made in memory.
void write_checkpoint(const std::filesystem::path& path, std::string_view image);

/// Reads a checkpoint. Throws InputError for a file that is not one, is of another version, or is damaged.
Checkpoint read_checkpoint(const std::filesystem::path& path);

/// Returns "checkpoint-previous.h5" for "checkpoint.h5".
std::filesystem::path previous_checkpoint(const std::filesystem::path& path);

/// Removes temporary files that killed processes left when they wrote this checkpoint and the previous one; see
/// remove_leftovers().
void remove_checkpoint_leftovers(const std::filesystem::path& path, const std::vector<std::filesystem::path>& keep);

}  // namespace dropmd
