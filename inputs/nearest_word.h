#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace dropmd {

/// Returns the candidate that a misspelt word most likely means: one that differs only in upper and lower case; else
/// the one with the smallest edit distance (insertion, deletion, substitution, swap of neighbours), if this is at most
/// a third of the word's length; else the only one that ends with a hyphen and the word. For words of fewer than four
/// letters, only candidates that differ in case or by such a swap count.
std::optional<std::string_view> nearest_word(std::string_view word, const std::vector<std::string_view>& candidates);

/// Returns the candidate that begins with the word, in upper or lower case, if there is exactly one.
std::optional<std::string_view> only_completion(std::string_view word, const std::vector<std::string_view>& candidates);

/// Returns the remedy for an unknown word: "(did you mean 'x'?)" or, if no candidate is near, "(known: x, y, z)".
std::string known_words_hint(std::string_view word, const std::vector<std::string_view>& candidates);

/// Returns the words, separated by ", ".
std::string joined(const std::vector<std::string_view>& words);

}  // namespace dropmd
