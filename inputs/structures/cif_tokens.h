#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "inputs/text_source.h"

namespace dropmd {

/// A word or value of a CIF file. The text is without quotes.
struct CifToken {
  enum class Kind {
    end,    ///< of the file
    block,  ///< data_NAME; text: NAME
    loop,   ///< loop_
    tag,    ///< _category.item
    value,  ///< a bare word, or text in quotes
    other,  ///< save_, global_ or stop_
  };

  Kind kind = Kind::end;
  std::string_view text;
  std::size_t line = 1, column = 1;
  bool is_quoted = false;

  /// Whether it is a value that the file does not give: . or ?
  bool is_missing() const { return !is_quoted && (text == "." || text == "?"); }
};

/// Lines of a file that a text leaves out: `lines` of them, after the line `behind` of the text.
struct CifGap {
  std::size_t behind = 0, lines = 0;
};

/// Divides a CIF file (version 1.1, Hall and McMahon, International Tables for Crystallography G, 2.2) into tokens. The
/// source must outlive the reader and its tokens.
class CifTokens {
 public:
  explicit CifTokens(const TextSource& source, CifGap gap = {}) : source_(&source), gap_(gap) { advance(); }

  /// The current token.
  const CifToken& current() const { return current_; }
  /// Moves to the next token. Throws InputError at quotes and text fields that are not closed.
  void advance();

  SourcePlace place(const CifToken& token) const { return {source_->file, token.line, token.column}; }

 private:
  void skip_white_space();
  void read_text_field();
  void read_quoted();
  void read_bare();
  bool is_at_line_begin() const { return at_ == line_begin_; }

  const TextSource* source_;
  CifGap gap_;
  std::size_t at_ = 0, line_begin_ = 0, line_ = 1;
  CifToken current_;
};

}  // namespace dropmd
