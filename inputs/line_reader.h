#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "inputs/text_source.h"

namespace dropmd {

/// A run of characters without white space; `column` counts from 1. Empty: the line has no more words.
struct Word {
  std::string_view text;
  std::size_t column = 1;

  explicit operator bool() const { return !text.empty(); }
};

/// Walks through a text line by line and word by word; LF and CRLF end a line. The source must outlive the reader and
/// the words it returns.
class LineReader {
 public:
  explicit LineReader(const TextSource& source) : source_(&source), rest_(source.text) {}

  /// Goes to the next line; false, and nothing changes, at the end of the text.
  bool next_line();
  /// The next word of the line; at its end an empty word, one column behind the last character.
  Word next_word();

  std::string_view line() const { return line_; }
  std::size_t line_number() const { return line_number_; }
  /// Whether the line just read had a line end: the last one of an interrupted write has none.
  bool line_is_terminated() const { return terminated_; }
  bool line_is_blank() const;
  /// Text after the current line.
  std::string_view rest() const { return rest_; }

  SourcePlace place(std::size_t column = 1) const { return {source_->file, line_number_, column}; }
  SourcePlace place(const Word& word) const { return place(word.column); }
  /// Where text that is missing would stand: one line behind the last.
  SourcePlace end_place() const { return {source_->file, line_number_ + 1, 1}; }

 private:
  const TextSource* source_;
  std::string_view rest_;
  std::string_view line_{};
  std::size_t line_number_ = 0;
  std::size_t position_ = 0;  ///< in line_, behind the last word
  bool terminated_ = true;
};

/// The text without white space at its ends.
std::string_view trimmed(std::string_view text);

/// A finite number. `what` names it in messages ("the radius"). Throws InputError.
double parse_number(std::string_view text, const SourcePlace& place, std::string_view what);
/// The same for a word of the reader's current line.
double parse_number(const LineReader& lines, const Word& word, std::string_view what);

/// A whole number without sign. Throws InputError.
std::uint64_t parse_count(const LineReader& lines, const Word& word, std::string_view what);

}  // namespace dropmd
