#include "app/commands/map_work.h"

#include <optional>
#include <ostream>

#include "app/stop_signals.h"
#include "outputs/share_progress.h"

namespace dropmd {

ExitStatus do_map_work(const GivenOptions& options, Streams& streams,
                       const std::function<void(const MapProgress&)>& work) {
  const StopSignals signals;
  const bool quiet = options.has("quiet");
  try {
    std::optional<ShareProgress> progress;
    if (!quiet) progress.emplace(streams.live, streams.err_is_terminal, "map");
    work([&](std::size_t done, std::size_t of) {
      if (progress) progress->update(done, of);
      return !StopSignals::came();
    });
  } catch (const MapStopped&) {
    if (!quiet) streams.err << "dropmd: stopped; nothing was written\n";
    return StopSignals::status();
  }
  return ExitStatus::done;
}

}  // namespace dropmd
