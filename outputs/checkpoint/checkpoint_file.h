#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "core/run/checkpoint.h"

/// checkpoint.h5: an HDF5 file behind a block of 512 bytes that says how long it is and its CRC-32, so that HDF5's own
/// tools read it and this program reads none that was changed or cut off. docs/file-formats.md has the layout.
namespace dropmd {

/// Writes it as a whole or not at all; the one that was there before becomes checkpoint-previous.h5 beside it, or
/// whatever the name is. Throws OutputError.
void write_checkpoint(const std::filesystem::path& path, const Checkpoint& checkpoint);

/// Throws InputError for a file that is none, of another version, or damaged.
Checkpoint read_checkpoint(const std::filesystem::path& path);

/// "checkpoint-previous.h5" of "checkpoint.h5".
std::filesystem::path previous_checkpoint(const std::filesystem::path& path);

/// Removes what processes that were killed left of writing a checkpoint and the one before, as remove_leftovers().
void remove_checkpoint_leftovers(const std::filesystem::path& path, const std::vector<std::filesystem::path>& keep);

}  // namespace dropmd
