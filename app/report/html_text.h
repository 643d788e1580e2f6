#pragma once

#include <string>
#include <string_view>

/// Texts that come from others, such as titles and names of files, in an HTML page.
namespace dropmd {

/// Returns a text for the contents of an element or a value in quotes: &, <, >, " and ' are escaped, bytes that are not
/// UTF-8 and control characters other than tab and line end become U+FFFD.
std::string html_text(std::string_view text);

/// Returns a row of a table of facts.
std::string fact_row(std::string_view name, std::string_view value);

/// Returns JSON for a <script> element of the page: < is escaped, so that no text in it ends the element, or opens a
/// comment.
std::string json_for_script(std::string_view json);

}  // namespace dropmd
