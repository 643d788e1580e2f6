#pragma once

#include <algorithm>
#include <cstddef>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "core/errors.h"

namespace dropmd {

/// Mistakes found in an input file, gathered so that a user sees all of them at once.
class MistakeList {
 public:
  /// Adds a mistake. If there are very many, those with the first places are kept.
  void add(const SourcePlace& place, const std::string& message) {
    mistakes_.push_back({place, message});
    if (mistakes_.size() == 2 * kMost) keep_first();
  }

  /// Throws one InputError with a line for each mistake, in the order of their places, if there are any.
  void throw_if_any() {
    if (mistakes_.empty()) return;
    keep_first();
    std::string text;
    for (const Mistake& mistake : mistakes_) text += (text.empty() ? "" : "\n") + mistake.place.with(mistake.message);
    if (n_more_ > 0)
      text += '\n' + SourcePlace{mistakes_.front().place.file}.with("and " + std::to_string(n_more_) +
                                                                    " more (correct these first)");
    throw InputError(text);
  }

 private:
  static constexpr std::size_t kMost = 100;

  struct Mistake {
    SourcePlace place;
    std::string message;
  };
  void keep_first() {
    std::stable_sort(mistakes_.begin(), mistakes_.end(), [](const Mistake& a, const Mistake& b) {
      return std::tie(a.place.line, a.place.column) < std::tie(b.place.line, b.place.column);
    });
    if (mistakes_.size() <= kMost) return;
    n_more_ += mistakes_.size() - kMost;
    mistakes_.erase(mistakes_.begin() + kMost, mistakes_.end());
  }

  std::vector<Mistake> mistakes_;
  std::size_t n_more_ = 0;
};

}  // namespace dropmd
