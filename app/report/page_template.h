#pragma once

#include <map>
#include <string>
#include <string_view>

namespace dropmd {

/// Replaces each {{name}} of a page. Texts that are put in are not searched again.
inline std::string filled(std::string_view page, const std::map<std::string_view, std::string>& texts) {
  std::string html;
  for (;;) {
    const std::size_t open = page.find("{{"), close = page.find("}}", open);
    html += page.substr(0, open);
    if (open == std::string_view::npos || close == std::string_view::npos) return html;
    html += texts.at(page.substr(open + 2, close - open - 2));
    page.remove_prefix(close + 2);
  }
}

}  // namespace dropmd
