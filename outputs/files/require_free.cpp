#include "outputs/files/require_free.h"

#include "core/errors.h"
#include "outputs/files/file_writer.h"

namespace dropmd {

namespace {

namespace fs = std::filesystem;

/// Whether two paths name the same file, or have the same name for a file that does not exist yet.
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
    if (!overwrite && fs::exists(fs::symlink_status(output, ignored))) throw OutputError(exists_message(output));
  }
}

}  // namespace dropmd
