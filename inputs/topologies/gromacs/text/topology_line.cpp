#include "inputs/topologies/gromacs/text/topology_line.h"

#include <fmt/core.h>

#include <optional>

#include "inputs/line_reader.h"
#include "inputs/text_source.h"
#include "inputs/whole_number.h"

namespace dropmd::gromacs {
namespace {

std::optional<std::int64_t> integer_of(std::string_view text) {
  if (text.starts_with('+')) text.remove_prefix(1);
  return whole_number<std::int64_t>(text);
}

}  // namespace

void TopologyLine::clear() {
  text_.clear();
  words_.clear();
}

void TopologyLine::add(std::string_view word, const TextPlace& place) {
  words_.push_back({text_.size(), word.size(), place});
  text_ += word;
}

TopologyWord TopologyLine::word(std::size_t index) const {
  if (index >= words_.size()) return {{}, end_};
  const Span& span = words_[index];
  return {std::string_view(text_).substr(span.begin, span.length), span.place};
}

std::string TopologyLine::text() const {
  std::string text;
  for (std::size_t i = 0; i < size(); ++i) {
    if (i > 0) text += ' ';
    text += word(i).text;
  }
  return text;
}

TopologyWord WordReader::word(std::string_view what) {
  const TopologyWord word = peek();
  if (!word) fail(word, fmt::format("the line ends before {} (columns: {})", what, columns_));
  ++next_;
  return word;
}

double WordReader::number(std::string_view what) {
  const TopologyWord text = word(what);
  try {
    return parse_number(text.text, SourcePlace{}, what);
  } catch (const InputError& error) {
    fail(text, error.what());
  }
}

std::int64_t WordReader::integer(std::string_view what, std::int64_t least, std::int64_t most) {
  const TopologyWord text = word(what);
  const auto value = integer_of(text.text);
  if (!value || *value < least || *value > most)
    fail(text,
         fmt::format("{} is {} (it must be a whole number from {} to {})", what, in_quotes(text.text), least, most));
  return *value;
}

void WordReader::expect_end() {
  if (const TopologyWord more = peek())
    fail(more, fmt::format("{} after the last column (columns: {})", in_quotes(more.text), columns_));
}

bool is_integer(std::string_view text) { return integer_of(text).has_value(); }

}  // namespace dropmd::gromacs
