#include "inputs/nearest_word.h"

#include <algorithm>
#include <cctype>
#include <cstddef>

namespace dropmd {
namespace {

/// Returns the optimal string alignment distance, in O(|a| |b|) time with three rows.
std::size_t edit_distance(std::string_view a, std::string_view b) {
  const std::size_t n = b.size() + 1;
  std::vector<std::size_t> before(n), last(n), row(n);
  for (std::size_t j = 0; j < n; ++j) last[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    row[0] = i;
    for (std::size_t j = 1; j < n; ++j) {
      const std::size_t substitution = last[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1);
      row[j] = std::min({substitution, last[j] + 1, row[j - 1] + 1});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) row[j] = std::min(row[j], before[j - 2] + 1);
    }
    before.swap(last);
    last.swap(row);
  }
  return last.back();
}

/// Whether the words differ only by a swap of two neighbouring letters.
bool is_swap(std::string_view a, std::string_view b) {
  if (a.size() != b.size()) return false;
  const auto [first, other] = std::mismatch(a.begin(), a.end(), b.begin());
  if (a.end() - first < 2 || first[0] != other[1] || first[1] != other[0]) return false;
  return std::equal(first + 2, a.end(), other + 2);
}

bool is_same_letter(char a, char b) {
  return std::tolower(static_cast<unsigned char>(a)) == std::tolower(static_cast<unsigned char>(b));
}

/// Returns the one candidate that satisfies a condition; nullopt if none or several do.
template <class Condition>
std::optional<std::string_view> only_one(const std::vector<std::string_view>& candidates, Condition&& condition) {
  const auto first = std::find_if(candidates.begin(), candidates.end(), condition);
  if (first == candidates.end() || std::any_of(first + 1, candidates.end(), condition)) return std::nullopt;
  return *first;
}

/// "--seed" ends "--random-seed".
std::optional<std::string_view> only_longer_name(std::string_view word,
                                                 const std::vector<std::string_view>& candidates) {
  const std::string ending = "-" + std::string(word.substr(std::min(word.find_first_not_of('-'), word.size())));
  return only_one(candidates, [&](std::string_view c) { return c.size() > word.size() && c.ends_with(ending); });
}

}  // namespace

std::optional<std::string_view> only_completion(std::string_view word,
                                                const std::vector<std::string_view>& candidates) {
  return only_one(candidates, [&](std::string_view candidate) {
    return candidate.size() >= word.size() && std::equal(word.begin(), word.end(), candidate.begin(), is_same_letter);
  });
}

std::optional<std::string_view> nearest_word(std::string_view word, const std::vector<std::string_view>& candidates) {
  constexpr std::size_t kLongestWord = 64;  // bounds the work for absurd input
  constexpr std::size_t kShortestWord = 4;  // any two short words are near, unless their letters are the same
  if (word.size() > kLongestWord) return std::nullopt;
  const auto same = only_one(candidates, [&](std::string_view candidate) {
    return std::equal(word.begin(), word.end(), candidate.begin(), candidate.end(), is_same_letter);
  });
  if (same) return same;
  if (word.size() < kShortestWord) {
    const auto swapped = std::find_if(candidates.begin(), candidates.end(),
                                      [&](std::string_view candidate) { return is_swap(word, candidate); });
    return swapped == candidates.end() ? std::nullopt : std::optional(*swapped);
  }
  const std::size_t farthest = word.size() / 3;
  std::optional<std::string_view> nearest;
  std::size_t least = farthest + 1;
  for (const std::string_view candidate : candidates) {
    const std::size_t distance = edit_distance(word, candidate);
    if (distance >= least || distance >= candidate.size()) continue;
    least = distance;
    nearest = candidate;
  }
  return nearest ? nearest : only_longer_name(word, candidates);
}

std::string known_words_hint(std::string_view word, const std::vector<std::string_view>& candidates) {
  if (const auto nearest = nearest_word(word, candidates)) return "(did you mean '" + std::string(*nearest) + "'?)";
  return "(known: " + joined(candidates) + ")";
}

std::string joined(const std::vector<std::string_view>& words) {
  std::string text;
  for (const std::string_view word : words) text += (text.empty() ? "" : ", ") + std::string(word);
  return text;
}

}  // namespace dropmd
