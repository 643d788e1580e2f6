#pragma once

#include <sys/types.h>

#include <filesystem>
#include <functional>
#include <string_view>

#include "outputs/files/file_descriptor.h"

/// Output to pipes, terminals and devices, which may make a writer wait until a pipe's reader comes, or reads the data.
namespace dropmd {

/// Sets a function that is called while an output waits for a reader, and ends the wait by returning true: what the
/// reader has not read is dropped from then on. It applies to the whole process, like signals; null: outputs wait
/// indefinitely.
void stop_waiting_for_readers_when(bool (*told)());

/// Sets a function that is called once for each file whose reader left before everything was written; the rest is
/// dropped. It applies to the whole process; null: no function.
void when_readers_leave(std::function<void(const std::filesystem::path&)> told);

/// Opens a file for which is_special_file() is true, for write_to_reader(); a pipe is opened once it has a reader.
/// Throws OutputError.
FileDescriptor open_special_file(const std::filesystem::path& path);

/// Like ::write(), to such a file; `path` is its name. What is dropped counts as written, even if a pipe's last reader
/// has left.
ssize_t write_to_reader(int fd, const std::filesystem::path& path, std::string_view bytes);

}  // namespace dropmd
