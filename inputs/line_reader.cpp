#include "inputs/line_reader.h"

#include <fast_float/fast_float.h>
#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <system_error>

#include "inputs/whole_number.h"

namespace dropmd {
namespace {

constexpr std::string_view kWhiteSpace = " \t\r\v\f";

/// Parses a finite number. Returns what is wrong with the text; empty if nothing is.
std::string_view parse_finite(std::string_view text, double& value) {
  const bool has_digit = text.find_first_of("0123456789") != std::string_view::npos;
  if (text.starts_with('+') && !text.starts_with("+-")) text.remove_prefix(1);  // fast_float takes no plus sign
  const char* const end = text.data() + text.size();
  const auto result = fast_float::from_chars(text.data(), end, value);
  const bool is_parsed = result.ec == std::errc() || result.ec == std::errc::result_out_of_range;
  if (!is_parsed || result.ptr != end) return "not a number (expected: a decimal number such as -1.25e-3)";
  if (std::isfinite(value)) return {};
  return has_digit ? "beyond double precision (at most 1.8e308)"
                   : "not finite (expected: a decimal number such as -1.25e-3)";
}

[[noreturn]] void throw_wrong_word(std::string_view text, const SourcePlace& place, std::string_view what,
                                   std::string_view problem) {
  throw InputError(place, fmt::format("{} is {}, {}", what, in_quotes(text), problem));
}

}  // namespace

bool LineReader::next_line() {
  if (rest_.empty()) return false;
  const std::size_t end = rest_.find('\n');
  terminated_ = end != std::string_view::npos;
  line_ = rest_.substr(0, end);
  rest_.remove_prefix(terminated_ ? end + 1 : rest_.size());
  if (line_.ends_with('\r')) line_.remove_suffix(1);
  ++line_number_;
  position_ = 0;
  return true;
}

Word LineReader::next_word() {
  const std::size_t begin = std::min(line_.find_first_not_of(kWhiteSpace, position_), line_.size());
  position_ = std::min(line_.find_first_of(kWhiteSpace, begin), line_.size());
  return {line_.substr(begin, position_ - begin), begin + 1};
}

bool LineReader::line_is_blank() const { return line_.find_first_not_of(kWhiteSpace) == std::string_view::npos; }

std::string_view trimmed(std::string_view text) {
  const std::size_t begin = std::min(text.find_first_not_of(kWhiteSpace), text.size());
  return text.substr(begin, text.find_last_not_of(kWhiteSpace) + 1 - begin);
}

double parse_number(std::string_view text, const SourcePlace& place, std::string_view what) {
  double value = 0;
  if (const std::string_view problem = parse_finite(text, value); !problem.empty())
    throw_wrong_word(text, place, what, problem);
  return value;
}

double parse_number(const LineReader& lines, const Word& word, std::string_view what) {
  double value = 0;
  if (const std::string_view problem = parse_finite(word.text, value); !problem.empty())
    throw_wrong_word(word.text, lines.place(word), what, problem);
  return value;
}

std::uint64_t parse_count(const LineReader& lines, const Word& word, std::string_view what) {
  const auto value = whole_number<std::uint64_t>(word.text);
  if (!value)
    throw_wrong_word(word.text, lines.place(word), what, "not a whole number (use digits only, such as 4139)");
  return *value;
}

}  // namespace dropmd
