#include "app/live_output.h"

#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <climits>
#include <string_view>

namespace dropmd {
namespace {

bool takes_now(int fd) {
  pollfd reader{fd, POLLOUT, 0};
  return ::poll(&reader, 1, 0) == 1 && (reader.revents & POLLOUT) != 0;
}

}  // namespace

LiveOutput::int_type LiveOutput::overflow(int_type c) {
  if (!traits_type::eq_int_type(c, traits_type::eof())) pending_ += traits_type::to_char_type(c);
  return traits_type::not_eof(c);
}

std::streamsize LiveOutput::xsputn(const char* text, std::streamsize size) {
  pending_.append(text, static_cast<std::size_t>(size));
  return size;
}

/// A pipe that is ready accepts PIPE_BUF bytes without waiting.
int LiveOutput::sync() {
  std::string_view rest = pending_;
  while (!rest.empty() && takes_now(fd_)) {
    const ssize_t n = ::write(fd_, rest.data(), std::min<std::size_t>(rest.size(), PIPE_BUF));
    if (n < 0 && errno != EINTR) break;
    if (n > 0) rest.remove_prefix(static_cast<std::size_t>(n));
  }
  pending_.clear();
  return 0;
}

}  // namespace dropmd
