#include "app/report/page_template.h"

#include "app/report/html_text.h"
#include "app/report/page_sources.h"
#include "core/version.h"

namespace dropmd {

std::string filled(std::string_view page, const PageTexts& texts) {
  std::string html;
  for (;;) {
    const std::size_t open = page.find("{{"), close = page.find("}}", open);
    html += page.substr(0, open);
    if (open == std::string_view::npos || close == std::string_view::npos) return html;
    html += texts.at(page.substr(open + 2, close - open - 2));
    page.remove_prefix(close + 2);
  }
}

std::string filled_page(std::string_view page, const std::string& title, const std::string& state, PageTexts texts) {
  const std::string version = html_text(std::string(kVersion));
  texts["head"] = filled(
      page::kHeadHtml,
      {{"title", html_text(title)}, {"state", state}, {"version", version}, {"css", std::string(page::kPageCss)}});
  texts["toolbar"] = page::kToolbarHtml;
  texts["charts_js"] = page::kChartsJs;
  texts["common_js"] = page::kCommonJs;
  texts["version"] = version;
  return filled(page, texts);
}

}  // namespace dropmd
