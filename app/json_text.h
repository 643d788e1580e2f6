#pragma once

#include <nlohmann/json.hpp>
#include <string>

namespace dropmd {

/// A JSON document as printed: indented, a line end behind it, bytes of file names that are no UTF-8 replaced.
inline std::string json_text(const nlohmann::ordered_json& json) {
  return json.dump(2, ' ', false, nlohmann::json::error_handler_t::replace) + '\n';
}

}  // namespace dropmd
