#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <string>
#include <vector>

#include "app/command.h"
#include "tests/support/system/app_folder.h"

/// Runs every command line that the documentation shows and provokes every message that it quotes.
namespace dropmd {
namespace {

std::string readme() { return text_of(source_file("README.md")); }

/// The text between the fences of all code blocks of a language.
std::string code_blocks(const std::string& text, const std::string& language) {
  std::istringstream in(text);
  std::string blocks;
  bool inside = false;
  for (std::string line; std::getline(in, line);) {
    if (line.starts_with("```"))
      inside = line == "```" + language;
    else if (inside)
      blocks += line + '\n';
  }
  return blocks;
}

std::string replaced(std::string text, const std::string& from, const std::string& to) {
  const std::size_t at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  return at == std::string::npos ? text : text.replace(at, from.size(), to);
}

/// Runs the command lines of a page and returns how many there are. `more` is added to each that makes steps.
int run_commands(const AppFolder& folder, const std::string& page, const std::string& more = {}) {
  std::istringstream in(code_blocks(page, "shell"));
  int n_run = 0;
  for (std::string line; std::getline(in, line);) {
    if (!line.starts_with("dropmd ")) continue;
    const bool makes_steps = line.starts_with("dropmd run ") && line.find("--dry-run") == std::string::npos;
    const Outcome outcome = folder.run(line.substr(0, line.find(" #")) + (makes_steps ? more : ""));
    EXPECT_EQ(outcome.status, 0) << line << '\n' << outcome.err;
    ++n_run;
  }
  return n_run;
}

TEST(Examples, CommandLinesOfTheReadme) {
  const AppFolder folder;
  folder.write("small.toml", code_blocks(readme(), "toml"));
  EXPECT_GE(run_commands(folder, readme()), 10);
}

/// The run files are those of examples/argon, with fewer steps here.
TEST(Examples, CommandLinesOfTheTutorial) {
  const AppFolder folder;
  for (const char* name : {"liquid.toml", "vacuum.toml"})
    std::filesystem::copy_file(source_file("examples/argon") / name, folder.path() / name);
  const std::string tutorial = text_of(source_file("docs/tutorial.md"));
  EXPECT_GE(run_commands(folder, tutorial, " --steps 20"), 4);

  const std::string shown = code_blocks(tutorial, "toml"), liquid = folder.text("liquid.toml");
  EXPECT_TRUE(shown.starts_with(liquid)) << "the tutorial shows liquid.toml as it is";
  std::istringstream changed(shown.substr(std::min(liquid.size(), shown.size())));
  for (std::string line; std::getline(changed, line);)
    EXPECT_THAT(folder.text("vacuum.toml"), testing::HasSubstr(line));
}

TEST(Examples, RunFilesOfExamplesAreValid) {
  const AppFolder folder;
  const Outcome outcome = folder.run("dropmd run " + source_file("examples/hot-droplet.toml").string() + " --dry-run");
  EXPECT_EQ(outcome.status, 0) << outcome.err;
}

TEST(Examples, MessagesOfTheReadme) {
  const AppFolder folder;
  std::string toml = code_blocks(readme(), "toml");
  toml = replaced(toml, "temperature", "temprature");
  toml = replaced(toml, "r-min = 2.5", "r-min = \"2.5\"");
  toml = replaced(toml, "force-shift", "forceshift");
  folder.write("small.toml", toml);
  folder.write("same.drop", "two atoms at one place\n2\n5\n1 1 1 1\n1 1 1 -1\n");
  const std::string mistakes = folder.run("dropmd run small.toml").err;
  const std::string overlap = folder.run("dropmd run same.drop -q").err;
  for (const std::string& message : {mistakes, overlap}) {
    EXPECT_FALSE(message.empty());
    std::istringstream in(message);
    for (std::string line; std::getline(in, line);) EXPECT_THAT(readme(), testing::HasSubstr("    " + line + '\n'));
  }
}

class ExamplesOf : public testing::TestWithParam<std::string> {};

TEST_P(ExamplesOf, Run) {
  const AppFolder folder;
  const Command& command = find_command(GetParam());
  EXPECT_FALSE(command.examples.empty());
  for (const std::string_view example : command.examples) {
    const Outcome outcome = folder.run(example);
    EXPECT_EQ(outcome.status, 0) << example << '\n' << outcome.err;
  }
}

std::vector<std::string> command_names() {
  std::vector<std::string> names;
  for (const Command& command : all_commands()) names.emplace_back(command.name);
  return names;
}

INSTANTIATE_TEST_SUITE_P(Commands, ExamplesOf, testing::ValuesIn(command_names()),
                         [](const auto& test) { return test.param; });

TEST(Examples, HelpShowsThem) {
  const AppFolder folder;
  for (const Command& command : all_commands()) {
    const std::string help = folder.run("dropmd help " + std::string(command.name)).out;
    EXPECT_EQ(help, folder.run("dropmd " + std::string(command.name) + " --help").out);
    for (const std::string_view example : command.examples) EXPECT_THAT(help, testing::HasSubstr(std::string(example)));
  }
}

TEST(Examples, HelpOfAWordOfACommandIsTheCommands) {
  const AppFolder folder;
  EXPECT_EQ(folder.run("dropmd help generate water").out, folder.run("dropmd help generate").out);
  EXPECT_EQ(folder.run("dropmd help bench forces").out, folder.run("dropmd help bench").out);
}

}  // namespace
}  // namespace dropmd
