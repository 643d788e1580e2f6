#pragma once

#include <gtest/gtest.h>

#include <filesystem>

namespace dropmd {

/// A file that a test needs of the build or of the source tree. Where it is not there - the test program may have been
/// carried to another machine alone - the test ends here, as skipped.
inline std::filesystem::path needed_file(const std::filesystem::path& file) {
  std::error_code error;
  if (!file.empty() && std::filesystem::exists(file, error)) return file;
  const auto skip = [&] {
    GTEST_SKIP() << "there is no " << file << " (the test program was built elsewhere; carry this along)";
  };
  skip();
  // What ends a test whose result has been reported already.
  throw testing::AssertionException(
      testing::TestPartResult(testing::TestPartResult::kSkip, __FILE__, __LINE__, "a file is missing"));
}

inline std::filesystem::path source_file(const std::filesystem::path& in_the_tree) {
  return needed_file(std::filesystem::path(DROPMD_SOURCE_DIR) / in_the_tree);
}

}  // namespace dropmd
