#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace dropmd {

/// The candidate that a misspelt word most likely means: the one of the least edit distance (insertion, deletion,
/// substitution, swap of neighbours), if that is at most a third of the word's length; of words of less than four
/// letters one that differs by such a swap.
std::optional<std::string_view> nearest_word(std::string_view word, const std::vector<std::string_view>& candidates);

/// The remedy for an unknown word: "(did you mean 'x'?)" or, if none is near, "(known: x, y, z)".
std::string known_words_hint(std::string_view word, const std::vector<std::string_view>& candidates);

/// The words with ", " between them.
std::string joined(const std::vector<std::string_view>& words);

}  // namespace dropmd
