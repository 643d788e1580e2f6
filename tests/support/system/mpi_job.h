#pragma once

#include <cstdlib>
#include <string>
#include <vector>

#include "device/communicator/ranks.h"
#include "tests/support/system/child_process.h"

/// Processes that mpirun starts as ranks of a job.
namespace dropmd {

/// Returns why such jobs cannot be tested here; empty: they can.
inline std::string no_mpi_jobs() {
  if (std::string problem = Ranks::problem(); !problem.empty()) return problem;
  return std::system("command -v mpirun > /dev/null") == 0 ? "" : "mpirun is not installed";
}

/// Returns the words of a command line by which n ranks perform `line`.
inline std::vector<std::string> in_ranks(int n, const std::string& line) {
  // Containers and CI run as root.
  ::setenv("OMPI_ALLOW_RUN_AS_ROOT", "1", 1);
  ::setenv("OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1", 1);
  // If a rank is this program, it must perform its test even if this process performs one shard of the tests only.
  // Leaks of Open MPI's own must not fail a rank.
  return words_of(
      "env -u GTEST_TOTAL_SHARDS -u GTEST_SHARD_INDEX LSAN_OPTIONS=detect_leaks=0 mpirun --oversubscribe -n " +
      std::to_string(n) + ' ' + line);
}

}  // namespace dropmd
