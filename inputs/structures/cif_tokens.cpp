#include "inputs/structures/cif_tokens.h"

#include <algorithm>

namespace dropmd {
namespace {

bool is_white_space(char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\n'; }

/// Whether a text begins with a word in upper or lower case. The word is given in small letters.
bool begins_with(std::string_view text, std::string_view word) {
  return text.size() >= word.size() && std::equal(word.begin(), word.end(), text.begin(), [](char w, char c) {
           return w == (c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c);
         });
}

}  // namespace

void CifTokens::advance() {
  skip_white_space();
  const std::size_t line = line_ + (line_ > gap_.behind ? gap_.lines : 0);
  current_ = {.kind = CifToken::Kind::end, .text = {}, .line = line, .column = at_ - line_begin_ + 1};
  if (at_ >= source_->text.size()) return;
  const char c = source_->text[at_];
  if (c == ';' && is_at_line_begin())
    read_text_field();
  else if (c == '\'' || c == '"')
    read_quoted();
  else
    read_bare();
}

void CifTokens::skip_white_space() {
  const std::string& text = source_->text;
  for (; at_ < text.size(); ++at_) {
    if (text[at_] == '#') at_ = std::min(text.find('\n', at_), text.size());
    if (at_ >= text.size() || !is_white_space(text[at_])) return;
    if (text[at_] == '\n') ++line_, line_begin_ = at_ + 1;
  }
}

void CifTokens::read_text_field() {
  const std::string_view text = source_->text;
  const std::size_t begin = at_ + 1, end = text.find("\n;", begin);
  if (end == std::string_view::npos)
    throw InputError(place(current_), "a text field is not closed (a line that begins with ; ends it)");
  current_.kind = CifToken::Kind::value;
  current_.is_quoted = true;
  current_.text = text.substr(begin, end - begin);
  line_ += static_cast<std::size_t>(std::count(current_.text.begin(), current_.text.end(), '\n')) + 1;
  line_begin_ = end + 1;
  at_ = end + 2;
}

void CifTokens::read_quoted() {
  const std::string_view text = source_->text;
  const char quote = text[at_];
  const std::size_t begin = at_ + 1;
  // A quote within the text is not followed by white space.
  const auto is_end = [&](std::size_t k) {
    return text[k] == quote && (k + 1 == text.size() || is_white_space(text[k + 1]));
  };
  std::size_t end = begin;
  while (end < text.size() && text[end] != '\n' && !is_end(end)) ++end;
  if (end == text.size() || text[end] == '\n')
    throw InputError(place(current_),
                     std::string("a value in quotes is not closed (it ends with ") + quote + " on its line)");
  current_.kind = CifToken::Kind::value;
  current_.is_quoted = true;
  current_.text = text.substr(begin, end - begin);
  at_ = end + 1;
}

void CifTokens::read_bare() {
  const std::string_view text = source_->text;
  const std::size_t begin = at_;
  while (at_ < text.size() && !is_white_space(text[at_])) ++at_;
  current_.text = text.substr(begin, at_ - begin);
  using enum CifToken::Kind;
  if (current_.text.starts_with('_')) {
    current_.kind = tag;
  } else if (begins_with(current_.text, "data_")) {
    current_.kind = block;
    current_.text.remove_prefix(5);
  } else if (begins_with(current_.text, "loop_") && current_.text.size() == 5) {
    current_.kind = loop;
  } else if (begins_with(current_.text, "save_") || begins_with(current_.text, "global_") ||
             begins_with(current_.text, "stop_")) {
    current_.kind = other;
  } else {
    current_.kind = value;
  }
}

}  // namespace dropmd
