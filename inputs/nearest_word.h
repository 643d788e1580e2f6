#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace dropmd {

/// Returns the candidate that a misspelt word most likely means: one that differs in upper and lower case alone, else
/// the one with the smallest edit distance (insertion, deletion, substitution, swap of neighbours), if that is at most
/// a third of the word's length, else the only one that ends with the word after a hyphen. For words of fewer than four
/// letters only a candidate that differs in case or by such a swap counts.
std::optional<std::string_view> nearest_word(std::string_view word, const std::vector<std::string_view>& candidates);

/// Returns the candidate that begins with the word, upper or lower case, if there is just one.
std::optional<std::string_view> only_completion(std::string_view word, const std::vector<std::string_view>& candidates);

/// Returns the remedy for an unknown word: "(did you mean 'x'?)" or, if no candidate is near, "(known: x, y, z)".
std::string known_words_hint(std::string_view word, const std::vector<std::string_view>& candidates);

/// Returns the words, separated by ", ".
std::string joined(const std::vector<std::string_view>& words);

}  // namespace dropmd
