#include "inputs/topologies/gromacs/text/macros.h"

#include <algorithm>

namespace dropmd::gromacs {
namespace {

constexpr std::string_view kWhiteSpace = " \t\r\v\f";
constexpr std::size_t kDeepest = 32;         // macros within macros
constexpr std::size_t kMostSteps = 1000;     // replacements for a word
constexpr std::size_t kLongest = 1U << 14U;  // characters for a word

bool is_name_character(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

}  // namespace

void MacroTable::define(std::string_view name, std::string_view value) {
  macros_.insert_or_assign(std::string(name), Macro{std::string(value)});
}

void MacroTable::undefine(std::string_view name) {
  if (const auto found = macros_.find(name); found != macros_.end()) macros_.erase(found);
}

bool MacroTable::is_defined(std::string_view name) {
  used_.emplace(name);
  return macros_.find(name) != macros_.end();
}

bool MacroTable::expand(std::string_view word, std::string& text) {
  if (macros_.empty()) return false;
  text.clear();
  n_steps_ = 0;
  return expand_word(word, text, 0);
}

MacroTable::Macro* MacroTable::find(std::string_view name) {
  const auto found = macros_.find(name);
  if (found == macros_.end() || found->second.value.empty() || found->second.is_active) return nullptr;
  if (!used_.contains(name)) used_.emplace(name);
  return &found->second;
}

bool MacroTable::expand_word(std::string_view word, std::string& text, std::size_t depth) {
  if (Macro* const whole = find(word)) {
    expand_value(*whole, text, depth);
    return true;
  }
  bool is_changed = false;
  for (std::size_t begin = 0; begin < word.size();) {
    const bool is_name = is_name_character(word[begin]);
    std::size_t end = begin + 1;
    while (end < word.size() && is_name_character(word[end]) == is_name) ++end;
    const std::string_view part = word.substr(begin, end - begin);
    Macro* const macro = is_name && part.size() < word.size() ? find(part) : nullptr;
    if (macro != nullptr)
      expand_value(*macro, text, depth);
    else
      text += part;
    is_changed = is_changed || macro != nullptr;
    begin = end;
  }
  return is_changed;
}

void MacroTable::expand_value(Macro& macro, std::string& text, std::size_t depth) {
  if (depth >= kDeepest) throw MacroError("macros are nested more than 32 deep (define them with their values)");
  if (++n_steps_ > kMostSteps) throw MacroError("a word has more than 1000 macros (define them with their values)");
  macro.is_active = true;
  const std::string_view value = macro.value;
  for (std::size_t at = 0; at < value.size();) {
    const std::size_t begin = std::min(value.find_first_not_of(kWhiteSpace, at), value.size());
    at = std::min(value.find_first_of(kWhiteSpace, begin), value.size());
    if (begin > 0) text += ' ';
    expand_word(value.substr(begin, at - begin), text, depth + 1);
    if (text.size() > kLongest) {
      macro.is_active = false;
      throw MacroError("a macro expands to more than 16384 characters (write shorter values)");
    }
  }
  macro.is_active = false;
}

}  // namespace dropmd::gromacs
