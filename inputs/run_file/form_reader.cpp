#include "inputs/run_file/form_reader.h"

#include <fmt/core.h>

#include <algorithm>
#include <stdexcept>

namespace dropmd {
namespace {

using Words = std::vector<std::string_view>;

bool contains(const Words& words, std::string_view word) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

Words key_names(const FormInfo& form) {
  Words names;
  for (const FormKey& key : form.keys) names.push_back(key.name);
  return names;
}

void report_missing(SectionReader& section, const FormInfo& form, const FormKey& key, const FormSyntax& syntax) {
  section.mistake(section.place_of(syntax.word_key),
                  fmt::format("{} '{}' in {} needs '{}' ({})", syntax.word_key, form.name, section.name(), key.name,
                              expected_value(key)));
}

void read_keys(SectionReader& section, const FormInfo& form, UnitSystem units, const FormSyntax& syntax,
               FormChoice& choice) {
  for (const FormKey& key : form.keys) {
    if (key.vector) {
      if (const auto value = section.vector(key.name, key.rule())) choice.set_vector(key.name, *value);
      if (!section.has(key.name)) report_missing(section, form, key, syntax);
      continue;
    }
    const std::optional<double> value = section.number(key.name, key.rule());
    if (value) {
      choice.values.emplace(key.name, *value);
    } else if (const std::optional<double> otherwise = key.default_in(units)) {
      choice.values.emplace(key.name, *otherwise);
    } else if (key.required && !section.has(key.name)) {
      report_missing(section, form, key, syntax);
    }
  }
  for (const FormKey& key : form.keys)
    if (const std::string problem = order_problem(key, choice); !problem.empty() && section.has(key.name))
      section.mistake(section.find(key.name)->value_place,
                      fmt::format("{} is {} ({})", section.name_of(key.name), choice.at(key.name), problem));
}

/// Marks the keys of all forms as known, and reports those that the chosen form does not use.
void report_unused_keys(SectionReader& section, const FormList& all, const Words& used, std::string_view form,
                        std::string_view word_key) {
  Words reported;
  for (const FormInfo& other : all) {
    for (const std::string_view key : key_names(other)) {
      const TomlEntry* const entry = section.find(key);
      if (entry == nullptr || contains(used, key) || contains(reported, key)) continue;
      reported.push_back(key);
      Words users;
      for (const FormInfo& candidate : all)
        if (contains(key_names(candidate), key)) users.push_back(candidate.name);
      section.mistake(entry->key_place, fmt::format("{} is not used by {} '{}' (used by: {})", section.name_of(key),
                                                    word_key, form, joined(users)));
    }
  }
}

/// Without a form, the keys cannot be checked: those of all forms count as known.
void know_all_keys(SectionReader& section, const FormList& all) {
  for (const FormInfo& form : all)
    for (const FormKey& key : form.keys) section.find(key.name);
}

}  // namespace

std::optional<FormChoice> read_form(SectionReader& section, const FormList& forms, UnitSystem units,
                                    const FormSyntax& syntax) {
  constexpr std::string_view kNone = "none";
  const std::optional<std::string> written = section.text(syntax.word_key);
  if (!written && section.has(syntax.word_key)) {  // no string
    know_all_keys(section, forms);
    return std::nullopt;
  }
  const std::string word = written.value_or(std::string(syntax.form_if_left_out));
  if (syntax.none_allowed && word == kNone) {
    report_unused_keys(section, forms, {}, word, syntax.word_key);
    return std::nullopt;
  }
  const FormInfo* const form = find_form(forms, word);
  if (form == nullptr) {
    Words names = form_names(forms);
    if (syntax.none_allowed) names.insert(names.begin(), kNone);
    section.unknown_word(syntax.word_key, word, names);
    know_all_keys(section, forms);
    return std::nullopt;
  }
  FormChoice choice{word};
  read_keys(section, *form, units, syntax, choice);
  report_unused_keys(section, forms, key_names(*form), word, syntax.word_key);
  return choice;
}

FormChoice form_with_defaults(const FormList& forms, std::string_view name, UnitSystem units) {
  const FormInfo* const form = find_form(forms, name);
  if (form == nullptr) throw std::out_of_range("no form is named " + std::string(name));
  FormChoice choice{std::string(name)};
  for (const FormKey& key : form->keys)
    if (const std::optional<double> value = key.default_in(units)) choice.values.emplace(key.name, *value);
  return choice;
}

std::string expected_value(const FormKey& key) {
  const std::string_view range = key.range == Range::positive       ? ", greater than 0"
                                 : key.range == Range::not_negative ? ", at least 0"
                                                                    : "";
  return fmt::format("{}{}; unit: {}", key.vector ? "a list of three numbers" : "a number", range, key.unit);
}

std::string order_problem(const FormKey& key, const FormChoice& choice) {
  if (key.less_than.empty() || !choice.has(key.name) || !choice.has(key.less_than)) return {};
  const double most = choice.at(key.less_than);
  return choice.at(key.name) < most ? "" : fmt::format("it must be less than the {}, {}", key.less_than, most);
}

bool is_bath(const FormInfo& integrator) {
  return std::any_of(integrator.keys.begin(), integrator.keys.end(),
                     [](const FormKey& key) { return key.name == "temperature"; });
}

std::vector<std::string_view> form_names(const FormList& forms) {
  Words names;
  for (const FormInfo& form : forms) names.push_back(form.name);
  return names;
}

}  // namespace dropmd
