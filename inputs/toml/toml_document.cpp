#include "inputs/toml/toml_document.h"

#include <fmt/core.h>

#include <algorithm>

#include "inputs/toml/toml_nesting.h"

// toml++ 3.3 asserts that the header [.a] cannot occur, and then reports it as the syntax error that it is.
#define TOML_ASSERT(expression) static_assert(true)
#include <toml++/toml.h>

namespace dropmd {
namespace {

constexpr std::size_t kMostBytes = std::size_t{1} << 20U;

/// Turns toml++'s positions, whose columns count code points, into places with columns in bytes.
class Places {
 public:
  explicit Places(const TextSource& source) : file_(source.file) {
    const std::string_view text = source.text;
    lines_.push_back({});
    for (std::size_t i = 0; i < text.size(); ++i) {
      const bool begins_code_point = (static_cast<unsigned char>(text[i]) & 0xC0U) != 0x80U;
      if (begins_code_point) code_points_.push_back(static_cast<std::uint32_t>(i));
      if (text[i] == '\n') lines_.push_back({static_cast<std::uint32_t>(i + 1), code_points_.size()});
    }
    lines_.push_back({static_cast<std::uint32_t>(text.size() + 1), code_points_.size()});
  }

  SourcePlace at(const toml::source_position& position) const {
    if (position.line == 0 || position.line >= lines_.size()) return {file_, 1, 1};
    const Line &line = lines_[position.line - 1], &next = lines_[position.line];
    const std::size_t code_point = line.first_code_point + std::max<std::size_t>(position.column, 1) - 1;
    const std::size_t line_end = next.begin - 1;
    const std::size_t byte =
        code_point < code_points_.size() ? std::min<std::size_t>(code_points_[code_point], line_end) : line_end;
    return {file_, position.line, byte - line.begin + 1};
  }

  SourcePlace at(const toml::source_region& region) const { return at(region.begin); }

 private:
  struct Line {
    std::uint32_t begin = 0;
    std::size_t first_code_point = 0;
  };

  std::string file_;
  std::vector<Line> lines_;                 ///< with one more after the last
  std::vector<std::uint32_t> code_points_;  ///< where each begins
};

void require_bounded_size(const TextSource& source) {
  if (source.text.size() > kMostBytes)
    throw InputError(SourcePlace{source.file},
                     fmt::format("a run file of {} bytes (at most {} are allowed)", source.text.size(), kMostBytes));
}

TomlValue list_of(const toml::array& list) {
  if (list.empty() || list.is_homogeneous<std::string>()) {
    std::vector<std::string> words;
    for (const toml::node& item : list) words.push_back(item.as_string()->get());
    return words;
  }
  if (list.is_homogeneous<std::int64_t>()) {
    std::vector<std::int64_t> numbers;
    for (const toml::node& item : list) numbers.push_back(item.as_integer()->get());
    return numbers;
  }
  std::vector<double> numbers;
  for (const toml::node& item : list) {
    if (const auto* whole = item.as_integer())
      numbers.push_back(static_cast<double>(whole->get()));
    else if (const auto* decimal = item.as_floating_point())
      numbers.push_back(decimal->get());
    else
      return TomlOther{"a list"};
  }
  return numbers;
}

TomlValue value_of(const toml::node& node) {
  if (const auto* value = node.as_boolean()) return value->get();
  if (const auto* value = node.as_integer()) return value->get();
  if (const auto* value = node.as_floating_point()) return value->get();
  if (const auto* value = node.as_string()) return value->get();
  if (const auto* list = node.as_array()) return list_of(*list);
  return TomlOther{node.is_table() ? "a table" : "a date or time"};
}

TomlSection section_of(std::string_view name, const toml::table& table, const Places& places, bool is_list_item) {
  TomlSection section{std::string(name), places.at(table.source()), is_list_item};
  for (const auto& [key, node] : table)
    section.entries.push_back(
        {std::string(key.str()), value_of(node), places.at(key.source()), places.at(node.source())});
  return section;
}

/// Throws if the name of a section is too long; every item of a list stores the name.
void require_bounded_name(const toml::key& key, const Places& places) {
  constexpr std::size_t kLongest = 64;
  if (key.str().size() > kLongest)
    throw InputError(places.at(key.source()), fmt::format("the name of a section has {} bytes (at most {} are allowed)",
                                                          key.str().size(), kLongest));
}

TomlDocument document_of(const toml::table& root, const Places& places) {
  TomlDocument document;
  document.top.place = places.at(toml::source_position{1, 1});
  for (const auto& [key, node] : root) {
    if (node.is_table() || node.is_array_of_tables()) require_bounded_name(key, places);
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
  constexpr std::size_t kLongest = 200;  // a key may be quoted, and as long as the file
  std::string text(description.substr(0, kLongest));
  std::replace_if(
      text.begin(), text.end(), [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7F; }, ' ');
  return fmt::format("not valid TOML: {} ({})", text, is_bare_word ? "text must be in quotes" : "see https://toml.io");
}

}  // namespace

std::string_view kind_of(const TomlValue& value) {
  struct Kind {
    std::string_view operator()(bool) const { return "a boolean"; }
    std::string_view operator()(std::int64_t) const { return "a whole number"; }
    std::string_view operator()(double) const { return "a decimal number"; }
    std::string_view operator()(const std::string&) const { return "a string"; }
    std::string_view operator()(const std::vector<std::string>&) const { return "a list"; }
    std::string_view operator()(const std::vector<std::int64_t>&) const { return "a list"; }
    std::string_view operator()(const std::vector<double>&) const { return "a list"; }
    std::string_view operator()(const TomlOther& other) const { return other.kind; }
  };
  return std::visit(Kind{}, value);
}

TomlValue toml_value(const std::string& text) {
  if (text.find_first_of("\r\n") != std::string::npos) return text;  // what follows would be keys of its own
  try {
    const TomlDocument document = parse_toml({{}, "value = " + text});
    return document.top.entries.empty() ? TomlValue(TomlOther{"a table"}) : document.top.entries.front().value;
  } catch (const InputError&) {
    return text;
  }
}

TomlDocument parse_toml(const TextSource& source) {
  require_bounded_size(source);
  require_bounded_nesting(source);
  const Places places(source);
  try {
    return document_of(toml::parse(source.text), places);
  } catch (const toml::parse_error& error) {
    throw InputError(places.at(error.source()), syntax_message(error.description()));
  }
}

}  // namespace dropmd
