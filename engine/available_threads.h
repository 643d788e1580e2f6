#pragma once

#include <filesystem>
#include <optional>
#include <string_view>

namespace dropmd {

/// Returns the number of threads that this process can run at the same time: the number of processors that it may use
/// (affinity, as set by taskset or a batch system), or its control group's share of them (a container's limit) if that
/// is smaller; at least 1.
int available_threads();

/// Returns the processor time per wall time that control groups leave to a process: the smallest value of its group and
/// those above, from cpu.max (version 2) or cpu.cfs_quota_us (version 1) below `root`. membership: the lines of
/// /proc/self/cgroup. nullopt: no limit is known.
std::optional<double> cgroup_processors(const std::filesystem::path& root, std::string_view membership);

}  // namespace dropmd
