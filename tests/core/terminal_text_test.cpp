#include "core/terminal_text.h"

#include <gtest/gtest.h>

#include "tests/support/child_process.h"
#include "tests/support/temp_folder.h"

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
  for (const std::string word :
       {"a b", "$(date) `date` $HOME", "*?[a]{b,c}", "\"'\\'", "a\tb\nc ", "#;&|<>()!^", "caf\xE9",
        "\xC2\x85"
        "1",
        "\xE2\x80\xAE"
        "7'",
        "~/x", "=x"}) {
    const std::string line = "printf %s " + shell_word(word);
    EXPECT_EQ(ChildProcess(folder.path(), {"bash", "-c", line}).wait().out, word) << line;
    EXPECT_EQ(without_commands(line), line) << "nothing that a terminal obeys";
  }
}

}  // namespace
}  // namespace dropmd
