#include "app/options.h"

#include <algorithm>
#include <cxxopts.hpp>
#include <utility>

#include "core/errors.h"
#include "inputs/nearest_word.h"

namespace dropmd {

namespace {

using List = std::vector<std::string>;

cxxopts::Options cxxopts_of(const OptionTable& table, const std::string& program, const std::string& summary) {
  cxxopts::Options options(program, summary);
  for (const OptionTable::Entry& entry : table.entries()) {
    const std::string &names = entry.option.names, &help = entry.option.help, &value = entry.option.value;
    cxxopts::OptionAdder add = options.add_options(entry.group);
    if (entry.words) {
      add(names, help, cxxopts::value<List>());
      options.parse_positional({names});
    } else if (value.empty()) {
      add(names, help);
    } else {
      add(names, help, cxxopts::value<std::string>(), value);
    }
  }
  return options;
}

/// Throws UsageError for a word that the command does not use, and for an option with an empty value.
void check_words(const std::string& command, const OptionTable& table, const cxxopts::ParseResult& parsed) {
  if (!parsed.unmatched().empty()) {
    const std::string& word = parsed.unmatched().front();
    if (word.size() < 2 || word[0] != '-')
      throw UsageError("unexpected word '" + word + "' (dropmd help " + command + ")");
    List known;
    for (const OptionTable::Entry& entry : table.entries()) known.push_back("--" + entry.option.long_name());
    const std::string name = word.substr(0, word.find('='));
    const auto nearest = nearest_word(name, {known.begin(), known.end()});
    throw UsageError(
        "dropmd " + command + " has no option '" + name + "' (" +
        (nearest ? "did you mean '" + std::string(*nearest) + "'?" : "dropmd help " + command + " lists the options") +
        ")");
  }
  for (const cxxopts::KeyValue& option : parsed.arguments())
    if (option.value().empty()) throw UsageError("--" + option.key() + " is empty (a value is needed)");
}

std::string without_blanks_round(std::string_view text) {
  const std::size_t first = std::min(text.find_first_not_of(" \t"), text.size());
  return std::string(text.substr(first, text.find_last_not_of(" \t") + 1 - first));
}

/// Appends the items between the commas of an option's value.
void append_items(const std::string& option, const std::string& text, List& items) {
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find(',', begin), text.size());
    items.push_back(without_blanks_round(std::string_view(text).substr(begin, end - begin)));
    if (items.back().empty())
      throw UsageError("--" + option + ": '" + text + "' has an empty item (separate items with single commas)");
    begin = end + 1;
  }
}

List values_of(const OptionTable::Entry& entry, const cxxopts::ParseResult& parsed) {
  const std::string name = entry.option.long_name();
  if (entry.words) return parsed[name].as<List>();
  if (entry.option.repeatable || entry.option.takes_list()) {
    List values;
    for (const cxxopts::KeyValue& option : parsed.arguments()) {
      if (option.key() != name) continue;
      if (entry.option.repeatable)
        values.push_back(option.value());
      else
        append_items(name, option.value(), values);
    }
    return values;
  }
  return entry.option.value.empty() ? List{} : List{parsed[name].as<std::string>()};
}

}  // namespace

std::string Option::long_name() const { return names.substr(names.find(',') + 1); }

bool Option::takes_list() const { return value.find(',') != std::string::npos; }

void OptionTable::add(std::string_view group, std::initializer_list<Option> options) {
  for (const Option& option : options) entries_.push_back({std::string(group), option});
}

void OptionTable::add_words(std::string name, std::string help) {
  entries_.push_back({{}, {std::move(name), std::move(help)}, true});
}

const std::string& GivenOptions::text(std::string_view name) const { return values_.find(name)->second.at(0); }

std::vector<std::string> GivenOptions::list(std::string_view name) const {
  const auto found = values_.find(name);
  return found == values_.end() ? List{} : found->second;
}

GivenOptions parse_options(const OptionTable& table, const std::vector<std::string>& words) {
  std::vector<const char*> argv;
  argv.reserve(words.size());
  for (const std::string& word : words) argv.push_back(word.c_str());
  cxxopts::Options options = cxxopts_of(table, {}, {});
  options.allow_unrecognised_options();  // reported by check_words, with the nearest known one
  try {
    const cxxopts::ParseResult parsed = options.parse(static_cast<int>(argv.size()), argv.data());
    check_words(words[0], table, parsed);
    GivenOptions::Values values;
    for (const OptionTable::Entry& entry : table.entries()) {
      const std::string name = entry.option.long_name();
      if (parsed.count(name) > 0) values[name] = values_of(entry, parsed);
    }
    return GivenOptions(std::move(values));
  } catch (const cxxopts::exceptions::exception& error) {
    throw UsageError(std::string(error.what()) + " (dropmd help " + words[0] + " lists the options)");
  }
}

std::string options_help(const OptionTable& table, const std::string& program, const std::string& summary,
                         const std::string& arguments) {
  cxxopts::Options options = cxxopts_of(table, program, summary);
  options.custom_help("[OPTION...]");
  options.positional_help(arguments);
  return options.help();
}

}  // namespace dropmd
