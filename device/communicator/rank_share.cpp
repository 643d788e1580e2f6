#include "device/communicator/rank_share.h"

#include <fmt/core.h>
#include <sched.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <sstream>

#include "device/device_info.h"

namespace dropmd {

namespace {

/// Returns the numbers of the processors of this process.
std::string own_processors() {
  cpu_set_t set;
  CPU_ZERO(&set);
  if (sched_getaffinity(0, sizeof(set), &set) != 0) return {};
  std::string text;
  for (int k = 0; k < CPU_SETSIZE; ++k)
    if (CPU_ISSET(k, &set)) text += fmt::format("{}{}", text.empty() ? "" : ",", k);
  return text;
}

std::string own_host() {
  std::array<char, 256> name{};
  return ::gethostname(name.data(), name.size() - 1) == 0 ? name.data() : "";
}

}  // namespace

RankView rank_view() {
  RankView view{own_host(), own_processors(), {}};
  for (const DeviceInfo& device : query_devices().devices) view.devices.push_back(device.uuid);
  return view;
}

std::string to_text(const RankView& view) {
  std::string text = view.host + '\n' + view.processors;
  for (const std::string& device : view.devices) text += '\n' + device;
  return text;
}

RankView rank_view_of(const std::string& text) {
  RankView view;
  std::istringstream lines(text);
  std::getline(lines, view.host);
  std::getline(lines, view.processors);
  for (std::string device; std::getline(lines, device);) view.devices.push_back(device);
  return view;
}

RankShare rank_share(std::span<const RankView> views, std::size_t rank) {
  const RankView& mine = views[rank];
  RankShare share;
  share.processor_sharers = 0;
  std::vector<std::string> taken;  // GPUs of ranks before this one
  std::size_t n_alike = 0, before = 0;
  for (std::size_t other = 0; other < views.size(); ++other) {
    if (views[other].host != mine.host) continue;
    if (views[other].processors == mine.processors) ++share.processor_sharers;
    if (views[other].devices == mine.devices) {
      if (other < rank) ++before;
      ++n_alike;
    } else if (other < rank) {
      taken.insert(taken.end(), views[other].devices.begin(), views[other].devices.end());
    }
  }
  for (std::size_t k = before; k < mine.devices.size(); k += n_alike)
    if (std::find(taken.begin(), taken.end(), mine.devices[k]) == taken.end())
      share.devices.push_back(static_cast<int>(k));
  if (share.devices.empty() && !mine.devices.empty())
    share.no_device = fmt::format("other ranks on {} use its {} (start at most one rank for each GPU)", mine.host,
                                  mine.devices.size() == 1 ? "GPU" : fmt::format("{} GPUs", mine.devices.size()));
  return share;
}

}  // namespace dropmd
