#pragma once

#include <functional>
#include <initializer_list>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

/// What a command takes, and what it was given. cxxopts, which stands behind, takes a compiler seconds in every file
/// that includes it; so options.cpp alone does.
namespace dropmd {

struct Option {
  std::string names;  ///< "force", or with a letter "o,output"
  std::string help;   ///< one line
  std::string
      value{};  ///< what the help calls it: "FILE"; "N,..." or "X,Y,Z" for a list with commas between; none of a flag
  bool repeatable = false;  ///< a list of one value each time, with whatever commas

  std::string long_name() const;
  bool takes_list() const;
};

/// The options of a command.
class OptionTable {
 public:
  /// group: a heading of the help, or nothing.
  void add(std::string_view group, std::initializer_list<Option> options);
  /// The list that words without a dash go to; the help does not show it.
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
  /// The value of an option that was given.
  const std::string& text(std::string_view name) const;
  /// The values of a list; none where it was not given.
  std::vector<std::string> list(std::string_view name) const;

 private:
  Values values_;
};

/// words: the command's name and what stands behind it. Throws UsageError for a word that the command has no use for,
/// and for an option that lacks its value.
GivenOptions parse_options(const OptionTable& table, const std::vector<std::string>& words);

/// How the program and its arguments are called, and the options.
std::string options_help(const OptionTable& table, const std::string& program, const std::string& summary,
                         const std::string& arguments);

}  // namespace dropmd
