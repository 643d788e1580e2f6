#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "app/command.h"
#include "tests/support/app_folder.h"

/// Every command line that the documentation shows is run; every message that it quotes is provoked.
namespace dropmd {
namespace {

std::string readme() { return text_of(std::filesystem::path(DROPMD_SOURCE_DIR) / "README.md"); }

/// What stands between the fences of all code blocks of a language.
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

TEST(Examples, CommandLinesOfTheReadme) {
  const AppFolder folder;
  folder.write("small.toml", code_blocks(readme(), "toml"));
  std::istringstream in(code_blocks(readme(), "shell"));
  int n_run = 0;
  for (std::string line; std::getline(in, line);) {
    if (!line.starts_with("dropmd ")) continue;
    const Outcome outcome = folder.run(line.substr(0, line.find(" #")));
    EXPECT_EQ(outcome.status, 0) << line << '\n' << outcome.err;
    ++n_run;
  }
  EXPECT_GE(n_run, 10);
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

}  // namespace
}  // namespace dropmd
