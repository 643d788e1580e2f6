#pragma once

#include <cstdlib>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "tests/support/system/child_process.h"
#include "tests/support/system/needed_file.h"

namespace dropmd {

/// Runs a script of tests/outputs with the first Python that has the packages it needs (status 77 means that it does
/// not). It tries DROPMD_PYTHON of the environment, which scripts/check_readers.sh sets; otherwise python3,
/// /usr/bin/python3, which has Debian's packages where another python3 comes first on the path, and that of
/// build/python-env, which scripts/setup.sh --dev makes. Returns nothing if no Python has them.
inline std::optional<Outcome> run_python(const std::filesystem::path& folder, const std::string& script,
                                         const std::vector<std::string>& arguments) {
  constexpr int kNoPackage = 77, kNoPython = 127;
  std::vector<std::string> pythons{"python3", "/usr/bin/python3", DROPMD_SOURCE_DIR "/build/python-env/bin/python"};
  if (const char* const given = std::getenv("DROPMD_PYTHON")) pythons = {given};
  for (const std::string& python : pythons) {
    std::vector<std::string> words{python, "-B", source_file("tests/outputs/" + script).string()};
    words.insert(words.end(), arguments.begin(), arguments.end());
    Outcome outcome = ChildProcess(folder, words).wait();
    if (outcome.status == kNoPackage || outcome.status == kNoPython) continue;
    return outcome;
  }
  return std::nullopt;
}

}  // namespace dropmd
