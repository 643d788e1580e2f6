#include "inputs/toml_document.h"

#include <fmt/core.h>

#include <algorithm>

// toml++ 3.3 asserts that the header [.a] cannot occur, and then reports it as the syntax error that it is.
#define TOML_ASSERT(expression) static_assert(true)
#include <toml++/toml.h>

namespace dropmd {
namespace {

/// Turns toml++'s positions, whose columns count code points, into places with columns in bytes.
class Places {
 public:
  explicit Places(const TextSource& source) : file_(source.file) {
    const std::string_view text = source.text;
    for (std::size_t begin = 0; begin <= text.size();) {
      const std::size_t end = std::min(text.find('\n', begin), text.size());
      lines_.push_back(text.substr(begin, end - begin));
      begin = end + 1;
    }
  }

  SourcePlace at(const toml::source_position& position) const {
    if (position.line == 0 || position.line > lines_.size()) return {file_, 1, 1};
    const std::string_view line = lines_[position.line - 1];
    std::size_t column = 1;
    for (std::size_t i = 0, n_points = 0; i < line.size(); ++i) {
      const bool begins_code_point = (static_cast<unsigned char>(line[i]) & 0xC0U) != 0x80U;
      if (begins_code_point && ++n_points >= position.column) break;
      ++column;
    }
    return {file_, position.line, column};
  }

  SourcePlace at(const toml::source_region& region) const { return at(region.begin); }

 private:
  std::string file_;
  std::vector<std::string_view> lines_;
};

/// toml++ destroys nested tables recursively, and a dotted key nests one for each dot: without a bound a hostile file
/// overflows the stack. No sensible line comes near it.
void require_few_dots(const TextSource& source) {
  constexpr std::ptrdiff_t kMostDots = 200;
  constexpr std::size_t kMostBytes = std::size_t{1} << 20U;
  if (source.text.size() > kMostBytes)
    throw InputError(SourcePlace{source.file},
                     fmt::format("a run file of {} bytes (at most {})", source.text.size(), kMostBytes));
  std::size_t number = 0;
  for (std::size_t begin = 0; begin < source.text.size(); ++number) {
    const std::size_t end = std::min(source.text.find('\n', begin), source.text.size());
    const std::string_view line = std::string_view(source.text).substr(begin, end - begin);
    if (std::count(line.begin(), line.end(), '.') > kMostDots)
      throw InputError({source.file, number + 1, 1},
                       fmt::format("a line with more than {} dots (no key needs them)", kMostDots));
    begin = end + 1;
  }
}

TomlValue value_of(const toml::node& node) {
  if (const auto* value = node.as_boolean()) return value->get();
  if (const auto* value = node.as_integer()) return value->get();
  if (const auto* value = node.as_floating_point()) return value->get();
  if (const auto* value = node.as_string()) return value->get();
  if (const auto* list = node.as_array()) {
    if (!list->empty() && !list->is_homogeneous<std::string>()) return TomlOther{"a list"};
    std::vector<std::string> words;
    for (const toml::node& item : *list) words.push_back(item.as_string()->get());
    return words;
  }
  return TomlOther{node.is_table() ? "a table" : "a date or time"};
}

TomlSection section_of(std::string_view name, const toml::table& table, const Places& places, bool is_list_item) {
  TomlSection section{std::string(name), places.at(table.source()), is_list_item};
  for (const auto& [key, node] : table)
    section.entries.push_back(
        {std::string(key.str()), value_of(node), places.at(key.source()), places.at(node.source())});
  return section;
}

TomlDocument document_of(const toml::table& root, const Places& places) {
  TomlDocument document;
  document.top.place = places.at(toml::source_position{1, 1});
  for (const auto& [key, node] : root) {
    if (const toml::table* table = node.as_table()) {
      document.sections.push_back(section_of(key.str(), *table, places, false));
    } else if (const toml::array* list = node.as_array(); list != nullptr && list->is_homogeneous<toml::table>()) {
      for (const toml::node& item : *list)
        document.list_items.push_back(section_of(key.str(), *item.as_table(), places, true));
    } else {
      document.top.entries.push_back(
          {std::string(key.str()), value_of(node), places.at(key.source()), places.at(node.source())});
    }
  }
  return document;
}

/// "Error while parsing X: Y" becomes "X: Y", on one line, with a remedy.
std::string syntax_message(std::string_view description) {
  const bool is_bare_word = description.ends_with("could not determine value type");
  constexpr std::string_view kPreamble = "Error while parsing ";
  if (description.starts_with(kPreamble)) description.remove_prefix(kPreamble.size());
  std::string text(description);
  std::replace(text.begin(), text.end(), '\n', ' ');
  return fmt::format("no valid TOML: {} ({})", text, is_bare_word ? "text stands in quotes" : "see https://toml.io");
}

}  // namespace

std::string_view kind_of(const TomlValue& value) {
  struct Kind {
    std::string_view operator()(bool) const { return "a boolean"; }
    std::string_view operator()(std::int64_t) const { return "a whole number"; }
    std::string_view operator()(double) const { return "a decimal number"; }
    std::string_view operator()(const std::string&) const { return "a string"; }
    std::string_view operator()(const std::vector<std::string>&) const { return "a list"; }
    std::string_view operator()(const TomlOther& other) const { return other.kind; }
  };
  return std::visit(Kind{}, value);
}

TomlDocument parse_toml(const TextSource& source) {
  require_few_dots(source);
  const Places places(source);
  try {
    return document_of(toml::parse(source.text), places);
  } catch (const toml::parse_error& error) {
    throw InputError(places.at(error.source()), syntax_message(error.description()));
  }
}

}  // namespace dropmd
