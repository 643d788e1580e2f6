#pragma once

#include <map>
#include <string>
#include <string_view>

namespace dropmd {

/// Texts for the names in braces of a page.
using PageTexts = std::map<std::string_view, std::string>;

/// Replaces each {{name}} of a page. Texts that are put in are not searched again.
std::string filled(std::string_view page, const PageTexts& texts);

/// The same for a whole page (app/report/page/*.html), which also gets what all pages have: head, toolbar, styles,
/// charts and version. state: an element that says how far the run or the ensemble is.
std::string filled_page(std::string_view page, const std::string& title, const std::string& state, PageTexts texts);

}  // namespace dropmd
