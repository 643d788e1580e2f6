#pragma once

#include <filesystem>
#include <optional>
#include <string_view>

namespace dropmd {

/// Number of threads that this process can run at the same time: the processors that it may use (affinity, as set by
/// taskset or a batch system), or the share of them that its control group is given (a container's limit), at least 1.
int available_threads();

/// Processors' time per time that control groups leave to a process, the least of its group and those above: of
/// cpu.max (version 2) or cpu.cfs_quota_us (version 1) below `root`. membership: the lines of /proc/self/cgroup.
/// nullopt: no limit is known.
std::optional<double> cgroup_processors(const std::filesystem::path& root, std::string_view membership);

}  // namespace dropmd
