#include "outputs/trajectories/one_file_trajectory.h"

#include <fstream>
#include <string>

namespace dropmd {

OneFileTrajectory::OneFileTrajectory(const TrajectoryTarget& target)
    : file_(target.after ? FileWriter(target.path, *target.after) : FileWriter(target.path, target.overwrite)) {}

std::int64_t count_lines(const TrajectoryTarget& target, std::string_view begin) {
  if (!target.after) return 0;
  std::ifstream in(target.path, std::ios::binary);
  std::int64_t n = 0;
  std::uint64_t read = 0;
  for (std::string line; read < target.after->bytes && std::getline(in, line); read += line.size() + 1)
    if (line.starts_with(begin)) ++n;
  return n;
}

}  // namespace dropmd
