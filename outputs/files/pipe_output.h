#pragma once

#include <sys/types.h>

#include <filesystem>
#include <functional>
#include <string_view>

#include "outputs/files/file_descriptor.h"

/// Output to pipes, terminals and devices, which may keep a writer waiting: for a pipe's reader to come, or to take
/// what lies there.
namespace dropmd {

/// `told`, asked while an output waits for a reader, ends the wait by true: what the reader did not take is dropped
/// from then on. For a whole process, as the signals are behind it; null: outputs wait as long as it takes.
void stop_waiting_for_readers_when(bool (*told)());

/// `told` is called once for each file whose reader left before all was written, which is dropped from then on. For a
/// whole process; null: nobody is told.
void when_readers_leave(std::function<void(const std::filesystem::path&)> told);

/// Opens a file that is_special_file(), a pipe once it has a reader, for write_to_reader(). Throws OutputError.
FileDescriptor open_special_file(const std::filesystem::path& path);

/// As ::write(), to such a file; `path` is its name. What is dropped counts as written, also where a pipe's last reader
/// has left.
ssize_t write_to_reader(int fd, const std::filesystem::path& path, std::string_view bytes);

}  // namespace dropmd
