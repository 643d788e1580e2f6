#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "inputs/line_reader.h"

namespace dropmd {

/// One `key=value` of an extended XYZ comment line; the value is without its quotes.
struct XyzPair {
  std::string key;
  std::string value;
  SourcePlace key_place{};
  SourcePlace value_place{};
};

/// The comment line of an extended XYZ frame, as key-value pairs. Words without a value are free text.
class XyzComment {
 public:
  /// Parses the reader's current line. Values may be in "..." or '...' with backslash escapes, or in [...] or {...}. An
  /// open quote is an error if the line has `Properties=`; otherwise the whole line is a title.
  explicit XyzComment(const LineReader& lines);

  /// Returns the pair that has one of the keys, or nullptr. Throws InputError if there are two.
  const XyzPair* find(std::initializer_list<std::string_view> keys) const;

 private:
  std::vector<XyzPair> pairs_;
};

/// Throws InputError unless the frame is open in all directions: it must not have a `pbc` with a T, nor a `Lattice`
/// without a `pbc` (which by convention means periodic).
void require_open_boundaries(const XyzComment& comment);

}  // namespace dropmd
