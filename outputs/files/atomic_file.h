#pragma once

#include <filesystem>
#include <functional>
#include <string_view>
#include <vector>

#include "outputs/files/file_writer.h"

namespace dropmd {

/// Writes a file completely or not at all: `fill` writes a temporary file in the same folder, which then replaces
/// `path`; both are durable when this returns. If anything fails, `path` is unchanged and the temporary file is
/// removed. A device or pipe is written to directly.
///
/// Throws OutputError, also if `path` exists without `overwrite`, and whatever `fill` throws.
void write_atomically(const std::filesystem::path& path, bool overwrite, const std::function<void(FileWriter&)>& fill);

/// The same for a writer that opens its file by itself and leaves it synced: `fill` gets the path to write, at which a
/// file may exist. Messages of OutputError name `path` in its place.
void write_atomically_at(const std::filesystem::path& path, bool overwrite,
                         const std::function<void(const std::filesystem::path& temporary)>& fill);

/// Replaces a small file on which nothing depends, atomically but without syncing. A file that does not begin with
/// `begin`, as all files that dropmd writes there do, is someone else's and stays. Failures are ignored: the file is
/// then unchanged.
void replace_without_sync(const std::filesystem::path& path, std::string_view text, std::string_view begin);

/// To be called before long work whose output is `path`. Throws OutputError if write_atomically() could not create its
/// temporary file: the folder is missing or not writable, or `path` is a folder itself.
void require_folder(const std::filesystem::path& path);

/// Removes temporary files that killed processes left when they wrote `path`: regular files .NAME.PROCESS-ATTEMPT.tmp
/// in the same folder, except those in `keep`. No other process may be writing `path`.
void remove_leftovers(const std::filesystem::path& path, const std::vector<std::filesystem::path>& keep = {});

/// The same where other processes of this machine may be writing `path`: files of processes that exist stay.
void remove_leftovers_of_killed(const std::filesystem::path& path, const std::vector<std::filesystem::path>& keep = {});

}  // namespace dropmd
