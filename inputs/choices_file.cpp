#include "inputs/choices_file.h"

#include <fmt/core.h>

#include <charconv>
#include <string_view>

#include "inputs/choice_words.h"
#include "inputs/line_reader.h"
#include "inputs/nearest_word.h"

namespace dropmd {
namespace {

constexpr std::string_view kColumns = "step,neighbor,skin";

/// Splits a line at its commas.
class Fields {
 public:
  explicit Fields(std::string_view line) : line_(line) {}
  /// The next field and its column, from 1; empty at the end.
  std::pair<std::string_view, std::size_t> next() {
    const std::size_t begin = std::min(position_, line_.size());
    const std::size_t end = std::min(line_.find(',', begin), line_.size());
    position_ = end + 1;
    return {trimmed(line_.substr(begin, end - begin)), begin + 1};
  }
  bool at_end() const { return position_ > line_.size(); }

 private:
  std::string_view line_;
  std::size_t position_ = 0;
};

std::int64_t parse_step(std::string_view text, const SourcePlace& place) {
  std::int64_t step = 0;
  const auto [rest, error] = std::from_chars(text.data(), text.data() + text.size(), step);
  if (error != std::errc{} || rest != text.data() + text.size() || step < 0)
    throw InputError(place, fmt::format("the step {} is no whole number of 0 or more", in_quotes(text)));
  return step;
}

MethodChoice parse_row(const LineReader& lines) {
  Fields fields(lines.line());
  const auto [step, step_column] = fields.next();
  const auto [word, word_column] = fields.next();
  if (fields.at_end()) throw InputError(lines.place(), fmt::format("a row has three fields ({})", kColumns));
  const auto [skin, skin_column] = fields.next();
  if (!fields.at_end()) throw InputError(lines.place(), fmt::format("a row has three fields ({})", kColumns));
  const auto method = value_of_word(kNeighborWords, word);
  if (!method || *method == NeighborMethod::automatic) {
    std::vector<std::string_view> known = all_words(kNeighborWords);
    std::erase(known, word_of_value(kNeighborWords, NeighborMethod::automatic));
    throw InputError(lines.place(word_column),
                     fmt::format("unknown method {} {}", in_quotes(word), known_words_hint(word, known)));
  }
  const MethodChoice choice{parse_step(step, lines.place(step_column)), *method,
                            parse_number(skin, lines.place(skin_column), "the skin")};
  if (choice.skin < 0) throw InputError(lines.place(skin_column), fmt::format("the skin is {} (at least 0)", skin));
  return choice;
}

}  // namespace

std::vector<MethodChoice> read_choices_file(const std::filesystem::path& path) {
  const TextSource source = read_text_source(path, "a file of choices");
  LineReader lines(source);
  std::vector<MethodChoice> choices;
  for (bool named = false; lines.next_line();) {
    if (lines.line_is_blank() || lines.line().front() == '#') continue;
    if (!named) {
      if (trimmed(lines.line()) != kColumns)
        throw InputError(lines.place(), fmt::format("the names of the columns are missing ({})", kColumns));
      named = true;
      continue;
    }
    if (!lines.line_is_terminated()) break;  // an interrupted write
    const MethodChoice choice = parse_row(lines);
    if (choices.empty() && choice.step != 0)
      throw InputError(lines.place(),
                       fmt::format("the first choice is of step {} (it must be of step 0)", choice.step));
    if (!choices.empty() && choice.step <= choices.back().step)
      throw InputError(lines.place(),
                       fmt::format("step {} after step {} (steps must ascend)", choice.step, choices.back().step));
    choices.push_back(choice);
  }
  if (choices.empty()) throw InputError(lines.end_place(), "there is no choice in the file (at least that of step 0)");
  return choices;
}

}  // namespace dropmd
