#pragma once

#include <filesystem>
#include <functional>
#include <string_view>
#include <vector>

#include "outputs/files/file_writer.h"

namespace dropmd {

/// Writes a file as a whole or not at all: `fill` writes a temporary file in the same folder, which then takes the
/// place of `path`, both safe on the storage when this returns. When anything fails, `path` is as it was and the
/// temporary file is gone. A device or pipe is written to directly.
///
/// Throws OutputError, also for a `path` that exists unless `overwrite`, and whatever `fill` throws.
void write_atomically(const std::filesystem::path& path, bool overwrite, const std::function<void(FileWriter&)>& fill);

/// Replaces a small file that nothing depends on, at once but without waiting for the storage. What fails is passed
/// over: the file stays as it was.
void replace_without_sync(const std::filesystem::path& path, std::string_view text);

/// To be asked before long work whose output `path` is. Throws OutputError where write_atomically() could not create
/// its temporary file: the folder is missing or nothing can be written there, or `path` is a folder itself.
void require_folder(const std::filesystem::path& path);

/// Removes what processes that were killed left of writing `path`: regular files .NAME.PROCESS-ATTEMPT.tmp beside it.
/// Nobody else may be writing it. Those in `keep` stay.
void remove_leftovers(const std::filesystem::path& path, const std::vector<std::filesystem::path>& keep = {});

}  // namespace dropmd
