#include "inputs/choices_file.h"

#include <fmt/core.h>

#include <algorithm>
#include <charconv>
#include <optional>
#include <string_view>

#include "inputs/line_reader.h"
#include "inputs/nearest_word.h"
#include "inputs/run_file/choice_words.h"
#include "inputs/whole_number.h"

namespace dropmd {
namespace {

constexpr std::string_view kColumns = "step,neighbor,skin,cell_share,list_form";
/// The columns written by versions that chose neither cell edge nor list form.
constexpr std::string_view kFewColumns = "step,neighbor,skin";

struct Field {
  std::string_view text;
  SourcePlace place;
};

/// Splits a line at its commas.
std::vector<Field> fields_of(const LineReader& lines) {
  const std::string_view line = lines.line();
  std::vector<Field> fields;
  for (std::size_t begin = 0; begin <= line.size();) {
    const std::size_t end = std::min(line.find(',', begin), line.size());
    fields.push_back({trimmed(line.substr(begin, end - begin)), lines.place(begin + 1)});
    begin = end + 1;
  }
  return fields;
}

std::int64_t parse_step(const Field& field) {
  const auto step = whole_number<std::int64_t>(field.text);
  if (!step || *step < 0)
    throw InputError(field.place,
                     fmt::format("the step {} is not a whole number of at least 0", in_quotes(field.text)));
  return *step;
}

double parse_not_negative(const Field& field, std::string_view what) {
  const double value = parse_number(field.text, field.place, what);
  if (value < 0)
    throw InputError(field.place, fmt::format("{} is {} (it must be at least 0)", what, shown(field.text)));
  return value;
}

/// left_out: a value that has a word but may not occur in a file.
template <class Words>
auto parse_word(const Field& field, const Words& words, std::string_view what,
                std::optional<std::string_view> left_out = std::nullopt) {
  const auto value = value_of_word(words, field.text);
  if (value && field.text != left_out) return *value;
  std::vector<std::string_view> known = all_words(words);
  if (left_out) std::erase(known, *left_out);
  throw InputError(field.place,
                   fmt::format("unknown {} {} {}", what, in_quotes(field.text), known_words_hint(field.text, known)));
}

/// Reads a list form; files of earlier versions have other words for two of them.
ListForm parse_list_form(const Field& field) {
  constexpr ChoiceWords<ListForm, 2> kFormerWords{{{"resident", ListForm::persistent}, {"twins", ListForm::two_atom}}};
  if (const auto former = value_of_word(kFormerWords, field.text)) return *former;
  return parse_word(field, kListFormWords, "list_form");
}

MethodChoice parse_row(const LineReader& lines, std::string_view columns) {
  const std::vector<Field> fields = fields_of(lines);
  const auto n_columns = static_cast<std::size_t>(1 + std::count(columns.begin(), columns.end(), ','));
  if (fields.size() != n_columns)
    throw InputError(lines.place(), fmt::format("a row must have {} fields ({})", n_columns, columns));
  MethodChoice choice{.neighbor = parse_word(fields[1], kNeighborWords, "method",
                                             word_of_value(kNeighborWords, NeighborMethod::automatic))};
  choice.step = parse_step(fields[0]);
  choice.skin = parse_not_negative(fields[2], "the skin");
  if (columns == kFewColumns) return choice;
  choice.cell_share = parse_not_negative(fields[3], "the cell_share");
  choice.list_form = parse_list_form(fields[4]);
  return choice;
}

}  // namespace

std::vector<MethodChoice> read_choices_file(const std::filesystem::path& path) {
  const TextSource source = read_text_source(path, "a file of choices");
  LineReader lines(source);
  std::vector<MethodChoice> choices;
  for (std::string_view columns; lines.next_line();) {
    if (lines.line_is_blank() || lines.line().front() == '#') continue;
    if (columns.empty()) {
      columns = trimmed(lines.line()) == kFewColumns ? kFewColumns : kColumns;
      if (trimmed(lines.line()) != columns)
        throw InputError(lines.place(), fmt::format("the names of the columns are missing (expected: {})", kColumns));
      continue;
    }
    if (!lines.line_is_terminated()) break;  // an interrupted write
    const MethodChoice choice = parse_row(lines, columns);
    if (choices.empty() && choice.step != 0)
      throw InputError(lines.place(),
                       fmt::format("the first choice is for step {} (it must be for step 0)", choice.step));
    if (!choices.empty() && choice.step <= choices.back().step)
      throw InputError(lines.place(),
                       fmt::format("step {} after step {} (steps must ascend)", choice.step, choices.back().step));
    choices.push_back(choice);
  }
  if (choices.empty())
    throw InputError(lines.end_place(), "there is no choice in the file (it needs at least the one for step 0)");
  return choices;
}

std::vector<ChoiceComment> read_choice_comments(const std::filesystem::path& path) {
  constexpr std::string_view kBegin = "# step ", kBehindStep = ": ";
  const TextSource source = read_text_source(path, "a file of choices");
  std::vector<ChoiceComment> comments;
  for (LineReader lines(source); lines.next_line();) {
    const std::string_view line = lines.line();
    const bool is_ascii = std::all_of(line.begin(), line.end(), [](char c) { return c >= ' ' && c <= '~'; });
    if (!line.starts_with(kBegin) || !is_ascii || !lines.line_is_terminated()) continue;
    ChoiceComment comment;
    const auto [rest, error] = std::from_chars(line.data() + kBegin.size(), line.data() + line.size(), comment.step);
    const std::string_view behind = line.substr(static_cast<std::size_t>(rest - line.data()));
    if (error != std::errc{} || comment.step < 0 || !behind.starts_with(kBehindStep)) continue;
    comment.text = behind.substr(kBehindStep.size());
    comments.push_back(std::move(comment));
  }
  return comments;
}

}  // namespace dropmd
