#include "outputs/files/pipe_output.h"

#include <fcntl.h>
#include <poll.h>

#include <atomic>
#include <cerrno>
#include <chrono>
#include <set>
#include <thread>
#include <utility>

#include "outputs/files/file_writer.h"

namespace dropmd {
namespace {

constexpr int kLookMilliseconds = 50;  ///< between two checks whether to continue waiting

std::atomic<bool (*)()> told_to_stop = nullptr;

/// Readers that have left. Files are written by one thread.
struct Leaving {
  std::function<void(const std::filesystem::path&)> told;
  std::set<std::filesystem::path> known;  ///< a run opens the file of its map again and again
};
Leaving& leaving() {
  static Leaving one;
  return one;
}

void tell_that_reader_left(const std::filesystem::path& path) {
  if (leaving().told && leaving().known.insert(path).second) leaving().told(path);
}

bool stops_waiting() {
  bool (*const told)() = told_to_stop;
  return told != nullptr && told();
}

}  // namespace

void stop_waiting_for_readers_when(bool (*told)()) { told_to_stop = told; }

void when_readers_leave(std::function<void(const std::filesystem::path&)> told) { leaving() = {std::move(told), {}}; }

FileDescriptor open_special_file(const std::filesystem::path& path) {
  constexpr int kFlags = O_WRONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC;
  while (true) {
    FileDescriptor file(::open(path.c_str(), kFlags));
    if (file.is_open()) return file;
    std::error_code ignored;
    const bool has_no_reader = errno == ENXIO && std::filesystem::is_fifo(path, ignored);
    if (!has_no_reader && errno != EINTR) throw_output_error(path, "cannot create the file", errno);
    if (stops_waiting()) return FileDescriptor(::open("/dev/null", O_WRONLY | O_CLOEXEC));
    std::this_thread::sleep_for(std::chrono::milliseconds(kLookMilliseconds));
  }
}

ssize_t write_to_reader(int fd, const std::filesystem::path& path, std::string_view bytes) {
  const auto all = static_cast<ssize_t>(bytes.size());
  while (true) {
    pollfd reader{fd, POLLOUT, 0};
    const int ready = ::poll(&reader, 1, kLookMilliseconds);
    if (ready < 0 && errno != EINTR) return -1;
    if (ready > 0) {
      const ssize_t n = ::write(fd, bytes.data(), bytes.size());
      if (n < 0 && errno == EPIPE) {
        tell_that_reader_left(path);
        return all;
      }
      if (n >= 0 || (errno != EAGAIN && errno != EINTR)) return n;
    }
    if (stops_waiting()) return all;
  }
}

}  // namespace dropmd
