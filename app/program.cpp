#include "app/program.h"

#include <poll.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <csignal>
#include <iostream>

#include "app/app.h"
#include "app/live_output.h"

namespace dropmd {

namespace {

std::size_t terminal_columns() {
  winsize size{};
  return ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0 ? size.ws_col : 80;
}

/// Whether standard output is a pipe whose reader, such as head(1), has left.
bool reader_left() {
  pollfd out{STDOUT_FILENO, POLLOUT, 0};
  return ::poll(&out, 1, 0) == 1 && (out.revents & POLLERR) != 0;
}

}  // namespace

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

int run_program(std::span<const char* const> arguments) {
  if (!cpu_suffices()) {
    std::cerr
        << "dropmd: error: this binary needs a CPU with more vector instructions (build with -DDROPMD_CPU=baseline)\n";
    return static_cast<int>(ExitStatus::device);
  }
  // Exceeding a file size limit (ulimit -f) then is a write error, which is reported.
  std::signal(SIGXFSZ, SIG_IGN);
  std::signal(SIGPIPE, SIG_IGN);  // what the reader of a pipe no longer accepts is dropped
  LiveOutput live_output(STDERR_FILENO);
  std::ostream live(&live_output);
  Streams streams{std::cout, std::cerr, live, isatty(STDERR_FILENO) != 0, terminal_columns()};
  const int status = run_app({arguments.begin(), arguments.end()}, streams);
  std::cout.flush();
  if (!std::cout && status == 0 && !reader_left()) {
    std::cerr << "dropmd: error: standard output could not be written\n";
    return static_cast<int>(ExitStatus::output);
  }
  return status;
}

}  // namespace dropmd
