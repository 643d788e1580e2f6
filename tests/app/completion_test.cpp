#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <string>

#include "app/command.h"
#include "bench/maps.h"
#include "bench/sort.h"
#include "inputs/structures/structure_file.h"
#include "tests/support/system/app_folder.h"

/// scripts/dropmd-completion.bash offers what the program knows, no more and no less.
namespace dropmd {
namespace {

using Words = std::set<std::string>;

/// The words that bash offers after `dropmd <before> <current>`.
Words completions(const AppFolder& folder, const std::string& before, const std::string& current) {
  const std::string script = "source '" + source_file("scripts/dropmd-completion.bash").string() + "'\n" +
                             "COMP_WORDS=(dropmd " + before + " '" + current + "')\n" +
                             "COMP_CWORD=$((${#COMP_WORDS[@]} - 1))\n_dropmd\nprintf '%s\\n' \"${COMPREPLY[@]}\"\n";
  const Outcome outcome = ChildProcess(folder.path(), {"bash", "-c", script}).wait();
  EXPECT_EQ(outcome.status, 0);
  EXPECT_EQ(outcome.err, "") << "such as of a shell that cannot fork, whose status is 0 all the same";
  const auto words = words_of(outcome.out);
  return {words.begin(), words.end()};
}

/// The long options of a command, without its positional arguments and without those that are not in this version.
Words options_of_command(const Command& command) {
  const OptionTable options = options_of(command);
  Words words;
  for (const OptionTable::Entry& entry : options.entries())
    if (!entry.words && entry.option.help.find("not in this version") == std::string::npos)
      words.insert("--" + entry.option.long_name());
  return words;
}

TEST(Completion, OffersEveryCommand) {
  const AppFolder folder;
  Words commands{"--help", "--version"};
  for (const Command& command : all_commands()) commands.insert(std::string(command.name));
  EXPECT_EQ(completions(folder, "", ""), commands);
}

TEST(Completion, OffersEveryOption) {
  const AppFolder folder;
  for (const Command& command : all_commands())
    EXPECT_EQ(completions(folder, std::string(command.name), "--"), options_of_command(command)) << command.name;
}

TEST(Completion, OffersWordsAndInputs) {
  const AppFolder folder;
  folder.write("a.drop", "");
  folder.write("a.txt", "");
  const std::string known = structure_extensions();  // ".drop, .xyz"
  for (std::string extension : words_of(known)) {
    if (extension.ends_with(',')) extension.pop_back();
    folder.write("structure" + extension, "");
    EXPECT_TRUE(completions(folder, "energy", "structure").contains("structure" + extension)) << extension;
  }
  EXPECT_EQ(completions(folder, "run --precision", ""), (Words{"mixed", "double"}));
  EXPECT_EQ(completions(folder, "run", "a"), (Words{"a.drop"}));
  EXPECT_EQ(completions(folder, "generate --lattice", "f"), (Words{"fcc"}));
  EXPECT_EQ(completions(folder, "generate --model", "t"), (Words{"tip3p", "tip4p2005"}));
  EXPECT_EQ(completions(folder, "map --units", ""), (Words{"lj", "real"}));
  EXPECT_EQ(completions(folder, "generate run", "a"), (Words{"a.drop"}));
  EXPECT_EQ(completions(folder, "help", "comp"), (Words{"compare"}));
}

TEST(Completion, OffersWhatIsTimed) {
  const AppFolder folder;
  EXPECT_EQ(completions(folder, "bench", "s"), (Words{"sort", "step"}));
  Words methods;
  for (const std::string_view name : sort_bench_methods(Backend::automatic)) methods.emplace(name);
  EXPECT_EQ(completions(folder, "bench sort --methods", ""), methods);
  Words designs;
  for (const std::string_view name : map_bench_designs()) designs.emplace(name);
  EXPECT_EQ(completions(folder, "bench map --designs", ""), designs);
}

}  // namespace
}  // namespace dropmd
