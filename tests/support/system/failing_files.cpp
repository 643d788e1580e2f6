// System calls on files that fail on request, for child processes that load this before the C library (LD_PRELOAD):
//
//   DROPMD_FAIL_CALL    the call: open (for writing), write, pwrite, fsync, ftruncate, link, rename or close (of a
//                       written file)
//   DROPMD_FAIL_FOLDER  the absolute path of a folder: calls on it and on its contents count
//   DROPMD_FAIL_NUMBER  which of these calls fails, counted from 1
//   DROPMD_FAIL_ERRNO   the error number; for write also 0: it writes half of its bytes
//   DROPMD_FAIL_ON      set: all later calls also fail, as on a disk that stays full
//   DROPMD_FAIL_STATUS  set: only calls on status.json, timings.csv and their temporary files count; otherwise, only
//                       calls on all other files
//   DROPMD_FAIL_REPORT  a file that is made when a call fails
#include <dlfcn.h>
#include <fcntl.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <climits>
#include <cstdarg>
#include <cstdlib>
#include <cstring>
#include <string_view>

namespace {

template <class Function>
Function* real(const char* name) {
  return reinterpret_cast<Function*>(::dlsym(RTLD_NEXT, name));
}

std::string_view variable(const char* name) {
  const char* const text = std::getenv(name);
  return text != nullptr ? text : std::string_view();
}
int number(const char* name) {
  const std::string_view text = variable(name);
  return text.empty() ? 0 : std::atoi(text.data());
}

bool counts(std::string_view call, std::string_view path) {
  const std::string_view folder = variable("DROPMD_FAIL_FOLDER");
  const bool is_status =
      path.find("status.json") != std::string_view::npos || path.find("timings.csv") != std::string_view::npos;
  if (is_status == variable("DROPMD_FAIL_STATUS").empty()) return false;
  return !folder.empty() && variable("DROPMD_FAIL_CALL") == call && path.starts_with(folder) &&
         (path.size() == folder.size() || path[folder.size()] == '/');
}

/// Takes paths as the program passes them, relative to its working directory.
bool counts_path(std::string_view call, const char* path) {
  if (path == nullptr) return false;
  char absolute[PATH_MAX] = "";
  if (path[0] != '/') {
    if (::getcwd(absolute, sizeof absolute - std::strlen(path) - 2) == nullptr) return false;
    std::strcat(absolute, "/");
  }
  return counts(call, std::strcat(absolute, path));
}

bool counts_file(std::string_view call, int fd) {
  char link[32] = "/proc/self/fd/", path[PATH_MAX];
  char* end = link + std::strlen(link);
  if (fd < 0) return false;
  char digits[12];
  int n = 0;
  for (int left = fd; n == 0 || left > 0; left /= 10) digits[n++] = static_cast<char>('0' + left % 10);
  while (n > 0) *end++ = digits[--n];
  const ssize_t length = ::readlink(link, path, sizeof path);
  return length > 0 && counts(call, std::string_view(path, static_cast<std::size_t>(length)));
}

/// Counts a call; returns whether it fails, and then sets errno.
bool fails() {
  static std::atomic<int> calls{0};
  const int call = ++calls, chosen = number("DROPMD_FAIL_NUMBER");
  if (call != chosen && !(call > chosen && !variable("DROPMD_FAIL_ON").empty())) return false;
  const int report = real<int(const char*, int, ...)>("open")(variable("DROPMD_FAIL_REPORT").data(),
                                                              O_WRONLY | O_CREAT | O_CLOEXEC, 0644);
  if (report >= 0) real<int(int)>("close")(report);
  errno = number("DROPMD_FAIL_ERRNO");
  return true;
}

bool is_for_writing(int flags) { return (flags & O_ACCMODE) != O_RDONLY; }

}  // namespace

// NOLINTBEGIN(readability-inconsistent-declaration-parameter-name): the C library's are reserved
extern "C" {

int open(const char* path, int flags, ...) {
  mode_t mode = 0;
  if ((flags & O_CREAT) != 0) {
    va_list rest;
    va_start(rest, flags);
    mode = va_arg(rest, mode_t);
    va_end(rest);
  }
  if (is_for_writing(flags) && counts_path("open", path) && fails()) return -1;
  return real<int(const char*, int, ...)>("open")(path, flags, mode);
}

ssize_t write(int fd, const void* bytes, std::size_t n) {
  const auto write_now = real<ssize_t(int, const void*, std::size_t)>("write");
  if (!counts_file("write", fd) || !fails()) return write_now(fd, bytes, n);
  return errno == 0 ? write_now(fd, bytes, (n + 1) / 2) : -1;
}

ssize_t pwrite(int fd, const void* bytes, std::size_t n, off_t at) {
  if (counts_file("pwrite", fd) && fails()) return -1;
  return real<ssize_t(int, const void*, std::size_t, off_t)>("pwrite")(fd, bytes, n, at);
}

int fsync(int fd) { return counts_file("fsync", fd) && fails() ? -1 : real<int(int)>("fsync")(fd); }

int ftruncate(int fd, off_t bytes) noexcept {
  return counts_file("ftruncate", fd) && fails() ? -1 : real<int(int, off_t)>("ftruncate")(fd, bytes);
}

int link(const char* from, const char* to) noexcept {
  return counts_path("link", to) && fails() ? -1 : real<int(const char*, const char*)>("link")(from, to);
}

int rename(const char* from, const char* to) noexcept {
  return counts_path("rename", to) && fails() ? -1 : real<int(const char*, const char*)>("rename")(from, to);
}

int renameat2(int from_folder, const char* from, int to_folder, const char* to, unsigned flags) noexcept {
  if (counts_path("rename", to) && fails()) return -1;
  return real<int(int, const char*, int, const char*, unsigned)>("renameat2")(from_folder, from, to_folder, to, flags);
}

int close(int fd) {
  const bool wrote = is_for_writing(::fcntl(fd, F_GETFL));
  const bool refused = wrote && counts_file("close", fd) && fails();
  const int error_number = errno;
  const int result = real<int(int)>("close")(fd);  // Linux closes it even where it reports an error
  if (!refused) return result;
  errno = error_number;
  return -1;
}

}  // extern "C"
// NOLINTEND(readability-inconsistent-declaration-parameter-name)
