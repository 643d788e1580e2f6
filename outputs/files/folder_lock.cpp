#include "outputs/files/folder_lock.h"

#include <fcntl.h>
#include <fmt/core.h>
#include <sys/file.h>

#include <cerrno>
#include <chrono>
#include <thread>

#include "core/errors.h"

namespace dropmd {

namespace {

/// Whether the folder could be locked; if not, errno says why.
bool lock(int folder) {
  using namespace std::chrono_literals;
  const auto last = std::chrono::steady_clock::now() + FolderLock::kWait;
  while (::flock(folder, LOCK_EX | LOCK_NB) != 0) {
    if (errno != EWOULDBLOCK || std::chrono::steady_clock::now() > last) return false;
    std::this_thread::sleep_for(10ms);
  }
  return true;
}

}  // namespace

FolderLock::FolderLock(const std::filesystem::path& folder, std::string_view what)
    : folder_(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC)),
      holds_(folder_.is_open() && lock(folder_.get())) {
  if (folder_.is_open() && !holds_ && errno == EWOULDBLOCK)
    throw OutputError(fmt::format(
        "{} is in use: another {} is writing there (wait until it ends, or choose another -o)", folder.string(), what));
}

}  // namespace dropmd
