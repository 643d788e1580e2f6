#include "outputs/require_free.h"

#include <unistd.h>

#include <cerrno>

#include "core/errors.h"
#include "outputs/file_writer.h"

namespace dropmd {

namespace {

namespace fs = std::filesystem;

/// The same file, or the same name for a file that is not there yet.
bool is_same(const fs::path& a, const fs::path& b) {
  std::error_code ignored;
  return fs::equivalent(a, b, ignored) || fs::absolute(a).lexically_normal() == fs::absolute(b).lexically_normal();
}

}  // namespace

void require_free(const std::vector<fs::path>& outputs, const std::vector<fs::path>& inputs, bool overwrite) {
  for (std::size_t k = 0; k < outputs.size(); ++k) {
    const fs::path& output = outputs[k];
    if (is_special_file(output)) continue;
    for (const fs::path& input : inputs)
      if (is_same(input, output))
        throw OutputError(output.string() + " is an input (choose another name for the output)");
    for (std::size_t other = 0; other < k; ++other)
      if (is_same(outputs[other], output))
        throw OutputError(output.string() + " is named for two outputs (choose another name for one)");
    std::error_code ignored;
    if (!overwrite && fs::exists(output, ignored)) throw OutputError(exists_message(output));
  }
}

void require_folders(const std::vector<fs::path>& outputs) {
  for (const fs::path& output : outputs) {
    if (is_special_file(output)) continue;
    std::error_code ignored;
    if (fs::is_directory(output, ignored)) throw_output_error(output, "cannot create the file", EISDIR);
    const fs::path folder = output.has_parent_path() ? output.parent_path() : fs::path(".");
    if (!fs::is_directory(folder, ignored))
      throw OutputError(output.string() + ": there is no folder " + folder.string() + " (mkdir -p " + folder.string() +
                        ")");
    if (::access(folder.c_str(), W_OK | X_OK) != 0) throw_output_error(output, "cannot create it in its folder", errno);
  }
}

}  // namespace dropmd
