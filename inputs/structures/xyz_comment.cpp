#include "inputs/structures/xyz_comment.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <string>

namespace dropmd {
namespace {

constexpr std::string_view kSpace = " \t\r\v\f";

/// Splits a comment line and keeps track of the place in `line`.
class PairScanner {
 public:
  explicit PairScanner(const LineReader& lines) : lines_(lines), line_(lines.line()) {}

  /// Returns the next pair; nullopt at the end of the line.
  std::optional<XyzPair> next() {
    while (true) {
      at_ = std::min(line_.find_first_not_of(kSpace, at_), line_.size());
      if (at_ == line_.size()) return std::nullopt;
      const std::size_t begin = at_;
      const std::size_t end = std::min(line_.find_first_of(" \t\r\v\f=", begin), line_.size());
      at_ = end;
      const bool has_value = end < line_.size() && line_[end] == '=';
      if (!has_value) continue;
      ++at_;
      if (end == begin) continue;  // "= value" is text, not a pair
      XyzPair pair{std::string(line_.substr(begin, end - begin)), {}, lines_.place(begin + 1), lines_.place(at_ + 1)};
      pair.value = value();
      return pair;
    }
  }

 private:
  std::string value() {
    const char open = at_ < line_.size() ? line_[at_] : ' ';
    if (open == '"' || open == '\'') return enclosed(open);
    if (open == '[') return enclosed(']');
    if (open == '{') return enclosed('}');
    const std::size_t end = std::min(line_.find_first_of(kSpace, at_), line_.size());
    std::string word(line_.substr(at_, end - at_));
    at_ = end;
    return word;
  }

  std::string enclosed(char close) {
    const std::size_t begin = at_++;
    std::string inside;
    for (; at_ < line_.size() && line_[at_] != close; ++at_) {
      if (line_[at_] == '\\' && at_ + 1 < line_.size()) ++at_;
      inside += line_[at_];
    }
    if (at_ == line_.size())
      throw InputError(lines_.place(begin + 1), fmt::format("a value is not closed (it ends with {})", close));
    ++at_;
    return inside;
  }

  const LineReader& lines_;
  std::string_view line_;
  std::size_t at_ = 0;
};

bool is_true(std::string_view word) {
  return word == "T" || word == "True" || word == "TRUE" || word == "true" || word == "1";
}
bool is_false(std::string_view word) {
  return word == "F" || word == "False" || word == "FALSE" || word == "false" || word == "0";
}

constexpr std::string_view kOpenRemedy = "dropmd has open boundaries: write pbc=\"F F F\"";

}  // namespace

XyzComment::XyzComment(const LineReader& lines) {
  PairScanner scanner(lines);
  try {
    while (std::optional<XyzPair> pair = scanner.next()) pairs_.push_back(std::move(*pair));
  } catch (const InputError&) {
    if (lines.line().find("Properties=") != std::string_view::npos) throw;
    pairs_.clear();
  }
}

const XyzPair* XyzComment::find(std::initializer_list<std::string_view> keys) const {
  const auto wanted = [keys](const XyzPair& pair) {
    return std::find(keys.begin(), keys.end(), pair.key) != keys.end();
  };
  const auto found = std::find_if(pairs_.begin(), pairs_.end(), wanted);
  if (found == pairs_.end()) return nullptr;
  const auto again = std::find_if(std::next(found), pairs_.end(), wanted);
  if (again != pairs_.end())
    throw InputError(again->key_place, fmt::format("{} is given twice (once is enough)", in_quotes(again->key)));
  return &*found;
}

void require_open_boundaries(const XyzComment& comment) {
  const XyzPair* const pbc = comment.find({"pbc"});
  if (pbc == nullptr) {
    if (const XyzPair* const lattice = comment.find({"Lattice", "lattice"}))
      throw InputError(lattice->key_place,
                       fmt::format("a lattice without pbc means periodic boundaries ({})", kOpenRemedy));
    return;
  }
  std::string flags = pbc->value;
  std::replace(flags.begin(), flags.end(), ',', ' ');
  const TextSource text{pbc->value_place.file, flags};
  LineReader words(text);
  words.next_line();
  std::size_t n_flags = 0;
  for (Word word = words.next_word(); word; word = words.next_word(), ++n_flags) {
    if (is_true(word.text)) throw InputError(pbc->value_place, fmt::format("periodic boundaries ({})", kOpenRemedy));
    if (!is_false(word.text))
      throw InputError(pbc->value_place,
                       fmt::format("{} in pbc is neither T nor F (write pbc=\"F F F\")", in_quotes(word.text)));
  }
  if (n_flags != 3)
    throw InputError(pbc->value_place, fmt::format("pbc has {} flags (it needs 3: pbc=\"F F F\")", n_flags));
}

}  // namespace dropmd
