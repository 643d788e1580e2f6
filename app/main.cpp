#include <poll.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <csignal>
#include <iostream>

#include "app/app.h"
#include "app/live_output.h"

namespace {

/// The CPU must support what this binary was compiled for; otherwise the first vector instruction would kill it.
bool cpu_suffices() {
#if defined(__x86_64__) && defined(__GNUC__)
#if defined(__AVX512F__)
  return __builtin_cpu_supports("avx512f") != 0;
#elif defined(__AVX2__)
  return __builtin_cpu_supports("avx2") != 0 && __builtin_cpu_supports("fma") != 0;
#endif
#endif
  return true;
}

std::size_t terminal_columns() {
  winsize size{};
  return ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0 ? size.ws_col : 80;
}

/// Returns whether standard output is a pipe whose reader has left, such as head(1).
bool reader_left() {
  pollfd out{STDOUT_FILENO, POLLOUT, 0};
  return ::poll(&out, 1, 0) == 1 && (out.revents & POLLERR) != 0;
}

}  // namespace

int main(int argc, char** argv) {
  if (!cpu_suffices()) {
    std::cerr
        << "dropmd: error: this binary needs a CPU with more vector instructions (build with -DDROPMD_CPU=baseline)\n";
    return static_cast<int>(dropmd::ExitStatus::device);
  }
  // Exceeding a file size limit (ulimit -f) then is a write error, which is reported.
  std::signal(SIGXFSZ, SIG_IGN);
  std::signal(SIGPIPE, SIG_IGN);  // what the reader of a pipe no longer accepts is dropped
  dropmd::LiveOutput live_output(STDERR_FILENO);
  std::ostream live(&live_output);
  dropmd::Streams streams{std::cout, std::cerr, live, isatty(STDERR_FILENO) != 0, terminal_columns()};
  const int status = dropmd::run_app({argv + 1, argv + argc}, streams);
  std::cout.flush();
  if (!std::cout && status == 0 && !reader_left()) {
    std::cerr << "dropmd: error: standard output could not be written\n";
    return static_cast<int>(dropmd::ExitStatus::output);
  }
  return status;
}
