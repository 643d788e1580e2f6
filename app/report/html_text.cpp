#include "app/report/html_text.h"

#include "inputs/text_source.h"

namespace dropmd {

std::string html_text(std::string_view text) {
  std::string html;
  for (const char c : as_utf8(text)) switch (c) {
      case '&':
        html += "&amp;";
        break;
      case '<':
        html += "&lt;";
        break;
      case '>':
        html += "&gt;";
        break;
      case '"':
        html += "&quot;";
        break;
      case '\'':
        html += "&#39;";
        break;
      default: {
        const auto byte = static_cast<unsigned char>(c);
        const bool is_control = (byte < ' ' && c != '\t' && c != '\n') || c == '\x7f';
        html += is_control ? "\xEF\xBF\xBD" : std::string(1, c);
      }
    }
  return html;
}

std::string fact_row(std::string_view name, std::string_view value) {
  return "<tr><th scope=\"row\">" + html_text(name) + "</th><td>" + html_text(value) + "</td></tr>\n";
}

std::string json_for_script(std::string_view json) {
  std::string safe;
  for (std::size_t begin = 0;;) {
    const std::size_t at = json.find('<', begin);
    safe += json.substr(begin, at - begin);
    if (at == std::string::npos) return safe;
    safe += "\\u003c";
    begin = at + 1;
  }
}

}  // namespace dropmd
