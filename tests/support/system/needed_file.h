#pragma once

#include <gtest/gtest.h>

#include <filesystem>

namespace dropmd {

/// A file of the build or of the source tree that a test needs. Where it is missing (the test program may have been
/// copied to another machine alone), the test ends here, as skipped.
inline std::filesystem::path needed_file(const std::filesystem::path& file) {
  std::error_code error;
  if (!file.empty() && std::filesystem::exists(file, error)) return file;
  const auto skip = [&] {
    GTEST_SKIP() << "there is no " << file << " (the test program was built elsewhere; carry this along)";
  };
  skip();
  // This ends a test whose result has already been reported.
  throw testing::AssertionException(
      testing::TestPartResult(testing::TestPartResult::kSkip, __FILE__, __LINE__, "a file is missing"));
}

inline std::filesystem::path source_file(const std::filesystem::path& in_the_tree) {
  return needed_file(std::filesystem::path(DROPMD_SOURCE_DIR) / in_the_tree);
}

}  // namespace dropmd
