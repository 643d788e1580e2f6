#include "inputs/toml/toml_nesting.h"

#include <fmt/core.h>

#include <algorithm>
#include <string_view>
#include <vector>

#include "core/errors.h"

namespace dropmd {
namespace {

/// Returns the index after the closing quotes of the string that begins at `begin`; for an unclosed string, the end of
/// its line or of the text.
std::size_t string_end(std::string_view text, std::size_t begin) {
  const char quote = text[begin];
  const bool is_long = text.substr(begin, 3) == std::string_view("\"\"\"") || text.substr(begin, 3) == "'''";
  const std::size_t n_quotes = is_long ? 3 : 1;
  std::size_t run = 0;  // quotes in a row
  for (std::size_t i = begin + n_quotes; i < text.size(); ++i) {
    run = text[i] == quote ? run + 1 : 0;
    if (run == n_quotes) {
      // Of five quotes in a row, two belong to the string.
      for (int extra = 0; is_long && extra < 2 && i + 1 < text.size() && text[i + 1] == quote; ++extra) ++i;
      return i + 1;
    }
    if (text[i] == '\\' && quote == '"') ++i;
    if (i < text.size() && text[i] == '\n' && !is_long) return i;
  }
  return text.size();
}

/// The depth of nesting at the current position of a scan.
class Depth {
 public:
  void open() {
    total_ += 1;
    dots_.push_back(0);
  }
  void close() {
    if (dots_.size() == 1) return;  // one too many
    begin_key();
    dots_.pop_back();
    total_ -= 1;
  }
  void add_dot() {
    total_ += 1;
    dots_.back() += 1;
  }
  void begin_key() {
    total_ -= dots_.back();
    dots_.back() = 0;
  }
  std::size_t total() const { return total_; }

 private:
  std::vector<std::size_t> dots_{0};  ///< of the key being read, within each bracket
  std::size_t total_ = 0;
};

}  // namespace

void require_bounded_nesting(const TextSource& source) {
  constexpr std::size_t kDeepest = 100;
  const std::string_view text = source.text;
  Depth depth;
  for (std::size_t i = 0, line = 1, line_begin = 0; i < text.size();) {
    const char c = text[i];
    if (c == '"' || c == '\'') {
      const std::size_t end = string_end(text, i);
      for (; i < end; ++i)
        if (text[i] == '\n') ++line, line_begin = i + 1;
      continue;
    }
    if (c == '#') {
      i = std::min(text.find('\n', i), text.size());
      continue;
    }
    if (c == '[' || c == '{') depth.open();
    if (c == ']' || c == '}') depth.close();
    if (c == ',' || c == '\n') depth.begin_key();
    if (c == '.') depth.add_dot();
    if (depth.total() > kDeepest)
      throw InputError({source.file, line, i - line_begin + 1},
                       fmt::format("values nested more than {} levels deep (no key needs this)", kDeepest));
    ++i;
    if (c == '\n') ++line, line_begin = i;
  }
}

}  // namespace dropmd
