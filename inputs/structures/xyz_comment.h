#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "inputs/line_reader.h"

namespace dropmd {

/// One `key=value` of an extended XYZ comment line; the value without its quotes.
struct XyzPair {
  std::string key;
  std::string value;
  SourcePlace key_place{};
  SourcePlace value_place{};
};

/// The comment line of an extended XYZ frame: pairs, and what they say of the frame. Words without a value are free
/// text.
class XyzComment {
 public:
  /// Parses the reader's current line. Values may stand in "..." or '...' with backslash escapes, or in [...] or {...}.
  /// A quote left open is an error where the line has `Properties=`, else the line is a title and no more.
  explicit XyzComment(const LineReader& lines);

  /// The pair of one of the keys, or nullptr; two are an error.
  const XyzPair* find(std::initializer_list<std::string_view> keys) const;

 private:
  std::vector<XyzPair> pairs_;
};

/// Throws InputError unless the frame is open in all directions: no `pbc` with a T, and no `Lattice` without a `pbc`
/// (by convention that means periodic).
void require_open_boundaries(const XyzComment& comment);

}  // namespace dropmd
