#include "core/terminal_text.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/support/system/child_process.h"
#include "tests/support/system/temp_folder.h"

namespace dropmd {
namespace {

TEST(TerminalText, PlainWordsNeedNoQuotes) {
  for (const char* const word : {"out/checkpoint.h5", "a-b_c+d=e:f,g@h%1", "Tr\xC3\xB6pfchen"})
    EXPECT_EQ(shell_word(word), word);
  EXPECT_EQ(shell_word("two words"), "'two words'");
  EXPECT_EQ(shell_word("~"), "'~'");
  EXPECT_EQ(shell_word(""), "''");
  EXPECT_EQ(shell_word("it's"), "'it'\\''s'");
  EXPECT_EQ(shell_word("-o"), "./-o");
  EXPECT_EQ(shell_word("a\nb'\\\x1b"), "$'a\\012b\\'\\\\\\033'");
}

TEST(TerminalText, AShellReadsTheWordAgain) {
  const TempFolder folder;
  const std::string next_line = "\xC2\x85", right_to_left = "\xE2\x80\xAE";
  const std::vector<std::string> words{
      "a b",     "$(date) `date` $HOME", "*?[a]{b,c}",         "\"'\\'", "a\tb\nc ", "#;&|<>()!^",
      "caf\xE9", next_line + "1",        right_to_left + "7'", "~/x",    "=x"};
  for (const std::string& word : words) {
    const std::string line = "printf %s " + shell_word(word);
    EXPECT_EQ(ChildProcess(folder.path(), {"bash", "-c", line}).wait().out, word) << line;
    EXPECT_EQ(without_commands(line), line) << "nothing that a terminal obeys";
  }
}

}  // namespace
}  // namespace dropmd
