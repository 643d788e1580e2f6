#include "inputs/run_file/run_file.h"

#include <algorithm>

#include "tests/inputs/bad_files.h"
#include "tests/support/form_catalog.h"

/// Run files that are made to break the reader: deep nesting, very many mistakes, odd names.
namespace dropmd {
namespace {

/// A run file with the two lines that every one needs.
constexpr std::string_view kLeastRunFile = "units = \"real\"\nsystem.structure = \"a.drop\"\n";

std::string message_for_run(const std::string& text) {
  return message_for_text("run.toml", text, [](const auto& path) { read_run_file(path, test_form_catalog()); });
}

std::string repeated(std::string_view text, std::size_t n) {
  std::string all;
  for (std::size_t k = 0; k < n; ++k) all += text;
  return all;
}

/// The parser limits nesting by the stack that it takes. The message gives the position of the first level beyond the
/// limit, which shows what counts as nesting.
TEST(HostileRunFile, NestsToABound) {
  const std::string too_deep = ": values nested more than 100 levels deep (no key needs this)";
  EXPECT_EQ(message_for_run("a=" + repeated("[", 101)), "FILE:1:103" + too_deep);
  EXPECT_EQ(message_for_run("a=" + repeated("[\n", 101)), "FILE:101:1" + too_deep);
  EXPECT_EQ(message_for_run("a=" + repeated("{a=", 101)), "FILE:1:303" + too_deep);
  EXPECT_EQ(message_for_run("a" + repeated(".a", 101) + "=0"), "FILE:1:202" + too_deep);
  EXPECT_EQ(message_for_run("a=\"\\\"[\" # ]\nb=" + repeated("[{a.b.c=", 26)), "FILE:2:203" + too_deep);
  EXPECT_EQ(message_for_run("a='''\n'''''\nb=\"\"\"\"\"\\\"\n\"\"\"\nc=\"\"\nd=" + repeated("[", 101)),
            "FILE:6:103" + too_deep);
}

TEST(HostileRunFile, WhatDoesNotNestIsNoMatterOfDepth) {
  const std::string head = std::string(kLeastRunFile);
  for (const std::string& text :
       {"# " + repeated("[.", 300) + "\n", "title = \"" + repeated("[.", 300) + "\"\n",
        "title = '" + repeated("{.", 300) + "'\n", "title = \"\"\"\n" + repeated("[.\"\n", 300) + "\"\"\"\n",
        repeated("# a.b\n", 300), "[wall]\nform = \"none\"\n" + repeated("[[species]]\nname = \"\"\n", 1)})
    EXPECT_EQ(message_for_run(head + text), "no error") << text;
}

TEST(HostileRunFile, OfManyMistakesTheFirstAreShown) {
  std::string text(kLeastRunFile);
  for (int k = 0; k < 150; ++k) text += "[unknown-" + std::to_string(k) + "]\n";  // the parser sorts them by name
  const std::string message = message_for_run(text);
  for (int k = 0; k < 99; ++k) EXPECT_NE(message.find("[unknown-" + std::to_string(k) + "]"), std::string::npos) << k;
  EXPECT_EQ(std::count(message.begin(), message.end(), '\n'), 100);
  EXPECT_TRUE(message.ends_with("\nFILE: and 50 more (correct these first)")) << message;
}

TEST(HostileRunFile, NamesOfSectionsAreCutAndPlain) {
  EXPECT_TRUE(message_for_run(std::string(kLeastRunFile) + "[\"a\\n\\u001b[31m\"]\n")
                  .starts_with("FILE:3:1: unknown section [a??[31m] (known"));
  EXPECT_EQ(message_for_run("[" + repeated("a", 65) + "]\n"),
            "FILE:1:2: the name of a section has 65 bytes (at most 64 are allowed)");
  EXPECT_EQ(message_for_run(repeated("a", 65) + "=[{}]\n"),
            "FILE:1:1: the name of a section has 65 bytes (at most 64 are allowed)");
}

/// Columns count bytes, also after letters of several bytes.
TEST(HostileRunFile, PlacesBehindLettersOfSeveralBytes) {
  EXPECT_EQ(
      message_for_run("title = \"µ\"\nwall = {form = \"\", \"水\" = 1, radius = -1}\n" + std::string(kLeastRunFile))
          .substr(0, 9),
      "FILE:2:16");
  EXPECT_EQ(message_for_run("units = \"lj\"\nsystem = {structure = \"水.xyz\", mass = -1}\n"),
            "FILE:2:41: 'mass' in [system] is -1 (it must be greater than 0)");
}

}  // namespace
}  // namespace dropmd
