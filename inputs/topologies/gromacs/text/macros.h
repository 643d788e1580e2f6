#pragma once

#include <cstddef>
#include <functional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>

namespace dropmd::gromacs {

/// A macro cannot be replaced: its text is too long or nested too deeply. what() says which, with the remedy.
struct MacroError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// Looks up strings by views.
struct StringHash {
  using is_transparent = void;  // NOLINT(readability-identifier-naming): the name is the standard library's
  std::size_t operator()(std::string_view text) const { return std::hash<std::string_view>()(text); }
};

/// The names that #define and options define. A name without a value serves #ifdef alone and is not replaced in the
/// text, as in GROMACS.
class MacroTable {
 public:
  /// Defines a name, or gives it another value.
  void define(std::string_view name, std::string_view value);
  void undefine(std::string_view name);
  /// Whether the name is defined, for #ifdef.
  bool is_defined(std::string_view name);
  /// Whether #ifdef asked for the name, or the text has it.
  bool is_used(std::string_view name) const { return used_.contains(name); }

  /// Replaces macros in a word without white space: the word itself, or parts of it between characters other than
  /// letters, digits and _. Macros in replacements are replaced in turn, but none within its own value. Returns whether
  /// there was anything to replace; `text` is then what takes the word's place. Throws MacroError.
  bool expand(std::string_view word, std::string& text);

 private:
  struct Macro {
    std::string value;
    bool is_active = false;  ///< its value is being replaced
  };

  Macro* find(std::string_view name);
  bool expand_word(std::string_view word, std::string& text, std::size_t depth);
  void expand_value(Macro& macro, std::string& text, std::size_t depth);

  std::unordered_map<std::string, Macro, StringHash, std::equal_to<>> macros_;
  std::unordered_set<std::string, StringHash, std::equal_to<>> used_;
  std::size_t n_steps_ = 0;  ///< replacements within the word
};

}  // namespace dropmd::gromacs
