#include "inputs/run_file/input_files.h"

#include "inputs/run_file/run_config.h"
#include "inputs/topologies/topology_file.h"

namespace dropmd {

std::vector<std::filesystem::path> input_files(const RunConfig& config) {
  std::vector<std::filesystem::path> files{config.file, config.structure};
  if (!config.choices.empty()) files.push_back(config.choices);
  if (!config.topology.given()) return files;
  const std::vector<std::filesystem::path> topology = topology_files(config.topology);
  files.insert(files.end(), topology.begin(), topology.end());
  return files;
}

}  // namespace dropmd
