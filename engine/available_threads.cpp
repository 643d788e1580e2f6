#include "engine/available_threads.h"

#include <sched.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <sstream>
#include <string>
#include <thread>

namespace dropmd {

namespace {

namespace fs = std::filesystem;

std::string text_of(const fs::path& file) {
  std::ifstream in(file);
  std::stringstream text;
  text << in.rdbuf();
  return text.str();
}

/// Parses "QUOTA PERIOD" in microseconds; "max" or -1 means no limit.
std::optional<double> share_of(const std::string& quota_and_period) {
  std::istringstream in(quota_and_period);
  double quota = 0, period = 0;
  if (!(in >> quota >> period) || quota <= 0 || period <= 0) return std::nullopt;
  return quota / period;
}

std::optional<double> share_of_group(const fs::path& group) {
  if (const auto share = share_of(text_of(group / "cpu.max"))) return share;
  return share_of(text_of(group / "cpu.cfs_quota_us") + ' ' + text_of(group / "cpu.cfs_period_us"));
}

/// Returns the smallest share of `hierarchy`/`group` and all groups above it.
std::optional<double> least_share(const fs::path& hierarchy, const fs::path& group) {
  std::optional<double> least;
  fs::path place = hierarchy;
  const auto look = [&] {
    if (const auto share = share_of_group(place)) least = std::min(*share, least.value_or(*share));
  };
  look();
  for (const fs::path& name : group.relative_path()) {
    place /= name;
    look();
  }
  return least;
}

int allowed_processors() {
  cpu_set_t allowed;
  if (sched_getaffinity(0, sizeof(allowed), &allowed) == 0) return CPU_COUNT(&allowed);
  return static_cast<int>(std::thread::hardware_concurrency());  // the set does not cover more than 1,024 processors
}

}  // namespace

std::optional<double> cgroup_processors(const fs::path& root, std::string_view membership) {
  std::istringstream lines{std::string(membership)};
  std::optional<double> least;
  for (std::string line; std::getline(lines, line);) {  // NUMBER:CONTROLLERS:GROUP
    const std::size_t controllers = line.find(':') + 1, group = line.find(':', controllers) + 1;
    if (controllers == 0 || group == 0) continue;
    const std::string of = ',' + line.substr(controllers, group - 1 - controllers) + ',';
    const bool all_in_one = of == ",,";  // version 2
    if (!all_in_one && of.find(",cpu,") == std::string::npos) continue;
    const fs::path hierarchy = all_in_one ? root : root / "cpu";
    if (const auto share = least_share(hierarchy, line.substr(group))) least = std::min(*share, least.value_or(*share));
  }
  return least;
}

int available_threads() {
  int threads = allowed_processors();
  if (const auto share = cgroup_processors("/sys/fs/cgroup", text_of("/proc/self/cgroup")))
    threads = std::min(threads, static_cast<int>(std::ceil(std::min(*share, 1e6))));
  return std::max(1, threads);
}

}  // namespace dropmd
