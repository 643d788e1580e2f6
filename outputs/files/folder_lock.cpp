#include "outputs/files/folder_lock.h"

#include <fcntl.h>
#include <fmt/core.h>
#include <sys/file.h>

#include <cerrno>

#include "core/errors.h"

namespace dropmd {

FolderLock::FolderLock(const std::filesystem::path& folder, std::string_view what)
    : folder_(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC)),
      holds_(folder_.is_open() && ::flock(folder_.get(), LOCK_EX | LOCK_NB) == 0) {
  if (folder_.is_open() && !holds_ && errno == EWOULDBLOCK)
    throw OutputError(fmt::format("{} is in use: another {} writes there (wait for its end, or choose another -o)",
                                  folder.string(), what));
}

}  // namespace dropmd
