#pragma once

#include <cstddef>
#include <iosfwd>
#include <string>

#include "core/clock.h"

namespace dropmd {

/// Shows how much of some work is done, and how long the rest will take: "map: 34%, 12 s left". For work of less than
/// two seconds it shows nothing.
class ShareProgress {
 public:
  /// terminal: overwrites one line; otherwise it writes a plain line every ten seconds.
  ShareProgress(std::ostream& out, bool terminal, std::string what, Clock clock = steady_seconds);
  ShareProgress(const ShareProgress&) = delete;
  ShareProgress& operator=(const ShareProgress&) = delete;
  /// Ends an open line of the terminal.
  ~ShareProgress();

  void update(std::size_t done, std::size_t of);

 private:
  std::ostream& out_;
  bool terminal_;
  std::string what_;
  Clock clock_;
  double start_, next_;
  bool line_open_ = false;
};

}  // namespace dropmd
