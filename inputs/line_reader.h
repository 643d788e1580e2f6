#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "inputs/text_source.h"

namespace dropmd {

/// A run of characters without white space; `column` counts from 1. An empty word means that the line has no more
/// words.
struct Word {
  std::string_view text;
  std::size_t column = 1;

  /// Whether there is a word.
  explicit operator bool() const { return !text.empty(); }
};

/// Reads a text line by line and word by word; LF and CRLF end a line. The source must outlive the reader and the words
/// that it returns.
class LineReader {
 public:
  /// Starts before the first line. lines_before: number of lines of the file before the source's text.
  explicit LineReader(const TextSource& source, std::size_t lines_before = 0)
      : source_(&source), rest_(source.text), line_number_(lines_before) {}

  /// Advances to the next line. At the end of the text it returns false and changes nothing.
  bool next_line();
  /// Returns the next word of the line; at the end of the line, an empty word one column after the last character.
  Word next_word();

  /// The current line, without its end.
  std::string_view line() const { return line_; }
  /// Number of the current line in the file, counted from 1; before the first next_line() that of the line before.
  std::size_t line_number() const { return line_number_; }
  /// Whether the current line has a line end; the last line of an interrupted write has none.
  bool line_is_terminated() const { return terminated_; }
  /// Whether the current line has no words.
  bool line_is_blank() const;
  /// The text after the current line.
  std::string_view rest() const { return rest_; }

  /// A place in the current line, for messages.
  SourcePlace place(std::size_t column = 1) const { return {source_->file, line_number_, column}; }
  /// The place of a word of the current line, for messages.
  SourcePlace place(const Word& word) const { return place(word.column); }
  /// The place where missing text would stand: one line after the last.
  SourcePlace end_place() const { return {source_->file, line_number_ + 1, 1}; }

 private:
  const TextSource* source_;
  std::string_view rest_;
  std::string_view line_{};
  std::size_t line_number_;
  std::size_t position_ = 0;  ///< in line_, after the last word
  bool terminated_ = true;
};

/// Returns the text without white space at its ends.
std::string_view trimmed(std::string_view text);

/// Returns the text as a finite number. `what` names it in messages ("the radius"). Throws InputError.
double parse_number(std::string_view text, const SourcePlace& place, std::string_view what);
/// The same for a word of the reader's current line.
double parse_number(const LineReader& lines, const Word& word, std::string_view what);

/// Returns an unsigned integer. Throws InputError.
std::uint64_t parse_count(const LineReader& lines, const Word& word, std::string_view what);

}  // namespace dropmd
