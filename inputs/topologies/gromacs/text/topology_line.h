#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "inputs/topologies/gromacs/text/source_map.h"

namespace dropmd::gromacs {

/// A word and where it stands; words that come from a macro have the place of the macro's name. An empty word means
/// that the line has no more words, and its place is the line's end.
struct TopologyWord {
  std::string_view text;
  TextPlace place;

  /// Whether there is a word.
  explicit operator bool() const { return !text.empty(); }
};

/// The words of a line after the preprocessor: without comments, with macros replaced and continued lines joined.
class TopologyLine {
 public:
  /// The map must outlive the line.
  explicit TopologyLine(const SourceMap& sources) : sources_(&sources) {}

  void clear();
  void add(std::string_view word, const TextPlace& place);
  /// Sets the place where missing words would stand.
  void set_end(const TextPlace& place) { end_ = place; }

  /// Number of words.
  std::size_t size() const { return words_.size(); }
  /// The word with that index; an empty word at the line's end.
  TopologyWord word(std::size_t index) const;
  /// All words with blanks between them.
  std::string text() const;
  const SourceMap& sources() const { return *sources_; }

 private:
  struct Span {
    std::size_t begin, length;
    TextPlace place;
  };

  const SourceMap* sources_;
  std::string text_;
  std::vector<Span> words_;
  TextPlace end_;
};

/// Reads the words of a line from left to right. `columns` names all columns for messages ("i j func b0 k"). The line
/// must outlive the reader.
class WordReader {
 public:
  WordReader(const TopologyLine& line, std::string_view columns) : line_(&line), columns_(columns) {}

  /// Number of words that are left.
  std::size_t n_left() const { return line_->size() - next_; }
  /// The next word, which remains the next one; empty at the line's end.
  TopologyWord peek() const { return line_->word(next_); }
  /// Returns the next word; `what` names it in the message if the line has ended ("the mass").
  TopologyWord word(std::string_view what);
  /// Returns the next word as a finite number.
  double number(std::string_view what);
  /// Returns the next word as a whole number from `least` to `most`.
  std::int64_t integer(std::string_view what, std::int64_t least, std::int64_t most);
  /// Throws if a word is left.
  void expect_end();

  /// Throws InputError at a place or a word of the line.
  [[noreturn]] void fail(const TextPlace& place, const std::string& message) const {
    line_->sources().fail(place, message);
  }
  [[noreturn]] void fail(const TopologyWord& word, const std::string& message) const { fail(word.place, message); }

 private:
  const TopologyLine* line_;
  std::string_view columns_;
  std::size_t next_ = 0;
};

/// Whether the text is a whole number, with or without a sign.
bool is_integer(std::string_view text);

}  // namespace dropmd::gromacs
