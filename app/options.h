#pragma once

#include <functional>
#include <initializer_list>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

/// The options of a command, and their values. cxxopts, which parses them, costs seconds of compile time in every file
/// that includes it, so only options.cpp includes it.
namespace dropmd {

/// One option of a command.
struct Option {
  std::string names;  ///< "force", or with a letter "o,output"
  std::string help;   ///< one line
  /// Name of the value in the help: "FILE"; "N,..." or "X,Y,Z" for a list with commas; empty for a flag.
  std::string value{};
  /// Whether it can be given several times, each with one value, which may have commas.
  bool repeatable = false;

  std::string long_name() const;
  bool takes_list() const;
};

/// The options of a command.
class OptionTable {
 public:
  /// group: a heading in the help, or empty.
  void add(std::string_view group, std::initializer_list<Option> options);
  /// Adds the list that receives words without a dash; the help does not show it.
  void add_words(std::string name, std::string help);

  struct Entry {
    std::string group;
    Option option;
    bool words = false;
  };
  const std::vector<Entry>& entries() const { return entries_; }

 private:
  std::vector<Entry> entries_;
};

/// The options of a command line, by their long names.
class GivenOptions {
 public:
  using Values = std::map<std::string, std::vector<std::string>, std::less<>>;

  explicit GivenOptions(Values values) : values_(std::move(values)) {}

  bool has(std::string_view name) const { return values_.contains(name); }
  /// Returns the value of an option that was given.
  const std::string& text(std::string_view name) const;
  /// Returns the values of a list; empty if it was not given.
  std::vector<std::string> list(std::string_view name) const;

 private:
  Values values_;
};

/// Parses a command line. words: the command's name and what follows. Throws UsageError for a word that the command
/// does not use, and for an option without its value.
GivenOptions parse_options(const OptionTable& table, const std::vector<std::string>& words);

/// Returns the usage line of the program and its arguments, and the options.
std::string options_help(const OptionTable& table, const std::string& program, const std::string& summary,
                         const std::string& arguments);

}  // namespace dropmd
