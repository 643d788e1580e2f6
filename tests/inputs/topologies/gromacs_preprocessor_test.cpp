#include "inputs/topologies/gromacs/text/preprocessor.h"

#include <gtest/gtest.h>
#include <stdlib.h>

#include "tests/inputs/bad_files.h"
#include "tests/inputs/topologies/topology_text.h"

namespace dropmd::gromacs {
namespace {

using Lines = std::vector<std::string>;

/// The lines of the folder's a.top.
Lines lines_of(const TempFolder& folder, const GromacsOptions& options = {}) {
  ::setenv("GMXLIB", "", 1);
  Preprocessor preprocessor(folder.path() / "a.top", options);
  TopologyLine line(preprocessor.sources());
  Lines lines;
  while (preprocessor.next_line(line)) lines.push_back(line.text());
  return lines;
}

Lines lines_of(std::string_view text, const GromacsOptions& options = {}) {
  const TempFolder folder;
  folder.write("a.top", text);
  return lines_of(folder, options);
}

std::string message_of(const TempFolder& folder) {
  return input_error_of(folder.path(), [&] { lines_of(folder); });
}

TEST(GromacsPreprocessor, WordsWithoutComments) {
  EXPECT_EQ(lines_of("a  b;c\n;d\n\n \t\r\ne\t; f\r\n  g"), (Lines{"a b", "e", "g"}));
}

TEST(GromacsPreprocessor, ContinuedLines) {
  EXPECT_EQ(lines_of("a\\\nb \\ \n c\nd\n"), (Lines{"a b c", "d"}));
  EXPECT_EQ(lines_of("a ; comment \\\nb\nc\n"), (Lines{"a", "c"})) << "the comment goes on, as in GROMACS";
  EXPECT_EQ(lines_of("a \\\n"), Lines{"a"});
  EXPECT_EQ(lines_of("\\\n\\\na\n"), Lines{"a"});
}

TEST(GromacsPreprocessor, Conditions) {
  EXPECT_EQ(lines_of("#ifdef A\na\n#else\nb\n#endif\nc\n"), (Lines{"b", "c"}));
  EXPECT_EQ(lines_of("#define A\n# ifdef A ; yes\na\n#else\nb\n#endif ; A\n"), Lines{"a"});
  EXPECT_EQ(lines_of("#ifndef A\na\n#ifdef B\nb\n#else\nc\n#endif\n#else\n#ifdef\n#else\nd\n#endif\n#endif\n"),
            (Lines{"a", "c"}));
  EXPECT_EQ(
      lines_of("#define A\n#undef A\n#ifdef A\na\n#endif\n#ifdef B\n#define C\n#include \"none\"\n#nothing\n#endif\n"
               "#ifndef C\nc\n#endif\n"),
      Lines{"c"});
  EXPECT_EQ(lines_of("a \\\n#ifdef A\nb\n#else\nc\n#endif\n"), Lines{"a c"});
}

TEST(GromacsPreprocessor, Macros) {
  EXPECT_EQ(lines_of("#define gb_1 0.1 1000 ; a bond\n1 2 2 gb_1\ngb_11 xgb_1\n"),
            (Lines{"1 2 2 0.1 1000", "gb_11 xgb_1"}));
  EXPECT_EQ(lines_of("#define A\n#define B 1\nA B A-B\n"), (Lines{"A 1 A-1"})) << "a name without value stays";
  EXPECT_EQ(lines_of("#define A B C\n#define B 1\n#define C B B\nA\n"), Lines{"1 1 1"});
  EXPECT_EQ(lines_of("#define A A B\n#define B A\nA B\n"), Lines{"A A A B"}) << "no macro within its own value";
  EXPECT_EQ(lines_of("#define A 1\nA\n#define A 2\nA\n#undef A\nA\n"), (Lines{"1", "2", "A"}));
  EXPECT_EQ(lines_of("#define S bonds\n[ S ]\n[S]\n"), (Lines{"[ bonds ]", "[bonds]"}));
  EXPECT_EQ(lines_of("#define a-b 1\na-b a\n"), Lines{"1 a"});
}

TEST(GromacsPreprocessor, DefinitionsOfOptions) {
  GromacsOptions options;
  options.defines = {"A", "B=2 3", "C="};
  EXPECT_EQ(lines_of("#ifdef A\na B C\n#endif\n#define B 4\nB\n", options), (Lines{"a 2 3 C", "4"}));
}

TEST(GromacsPreprocessor, PlacesOfWords) {
  const TempFolder folder;
  folder.write("a.top", "\n#include \"b.itp\"\n");
  folder.write("b.itp", "#define M 1 2\n  x M \\\n y\n");
  const GromacsOptions no_options;
  Preprocessor preprocessor(folder.path() / "a.top", no_options);
  TopologyLine line(preprocessor.sources());
  ASSERT_TRUE(preprocessor.next_line(line));
  EXPECT_EQ(line.text(), "x 1 2 y");
  const auto place = [&](std::size_t k) {
    const TextPlace at = line.word(k).place;
    return std::to_string(at.line) + ":" + std::to_string(at.column);
  };
  EXPECT_EQ(place(0), "2:3");
  EXPECT_EQ(place(1), "2:5");
  EXPECT_EQ(place(2), "2:5");
  EXPECT_EQ(place(3), "3:2");
  EXPECT_EQ(place(4), "3:3") << "the end of the line";
  EXPECT_EQ(input_error_of(folder.path(), [&] { preprocessor.sources().fail(line.word(3).place, "wrong"); }),
            "FILE/b.itp:3:2: wrong, included from FILE/a.top:2:1");
}

TEST(GromacsPreprocessor, FoldersOfIncludedFiles) {
  const TempFolder folder;
  folder.write("a.top", "#include \"sub/b.itp\"\n#include <c.itp>\n#include \"d.itp\"\n");
  folder.write("sub/b.itp", "b\n#include \"c.itp\"\n#include \"e.itp\"\n#include \"empty.itp\"\n");
  folder.write("sub/c.itp", "c of sub\n");
  folder.write("c.itp", "c of the topology\n");
  folder.write("e.itp", "e\n");
  folder.write("sub/empty.itp", "");
  folder.write("options/d.itp", "d of the options\n");
  folder.write("library/d.itp", "d of the library\n");
  folder.write("library/f.itp", "f\n");
  GromacsOptions options;
  options.include_folders = {folder.path() / "options"};
  EXPECT_EQ(lines_of(folder, options), (Lines{"b", "c of sub", "e", "c of the topology", "d of the options"}));
  folder.write("a.top", "#include \"d.itp\"\n#include \"f.itp\"\n");
  ::setenv("GMXLIB", ("/none:" + (folder.path() / "library").string()).c_str(), 1);
  const GromacsOptions no_options;
  Preprocessor preprocessor(folder.path() / "a.top", no_options);
  TopologyLine line(preprocessor.sources());
  Lines lines;
  while (preprocessor.next_line(line)) lines.push_back(line.text());
  EXPECT_EQ(lines, (Lines{"d of the library", "f"}));
  ::setenv("GMXLIB", "", 1);
}

TEST(GromacsPreprocessor, AFileWithAGuardMayIncludeItself) {
  const TempFolder folder;
  folder.write("a.top", "#include \"b.itp\"\nend\n");
  folder.write("b.itp", "#ifndef B\n#define B\nb\n#include \"b.itp\"\n#else B\n#endif B\n");
  EXPECT_EQ(lines_of(folder, {}), (Lines{"b", "end"}));
}

TEST(GromacsPreprocessor, MessagesNameTheIncludingFiles) {
  const TempFolder folder;
  folder.write("a.top", "; a\n#include \"b.itp\"\n");
  folder.write("b.itp", "#include \"sub/c.itp\"\n");
  folder.write("sub/c.itp", "#include \"none.itp\"\n");
  EXPECT_EQ(
      message_of(folder),
      "FILE/sub/c.itp:1:1: there is no file 'none.itp' in the folders FILE/sub, FILE (name its folder in 'include' in "
      "[system] of the run file, or set GMXLIB), included from FILE/b.itp:1:1, included from FILE/a.top:2:1");
  folder.write("sub/c.itp", "#include \"b.itp\"\n");
  EXPECT_EQ(message_of(folder),
            "FILE/sub/c.itp:1:1: FILE/b.itp includes itself (remove this line), included from FILE/b.itp:1:1, included "
            "from FILE/sub/c.itp:1:1, included from FILE/b.itp:1:1, included from FILE/a.top:2:1");
  folder.write("b.itp", "#ifdef A\n");
  EXPECT_EQ(message_of(folder),
            "FILE/b.itp:1:1: this condition is not closed (it ends with #endif in the same file), included from "
            "FILE/a.top:2:1");
  folder.write("b.itp", std::string_view("a\0", 2));
  EXPECT_EQ(message_of(folder),
            "FILE/b.itp:1:2: binary data, a NUL byte (a GROMACS topology is text), included from FILE/a.top:2:1");
  folder.write("b.itp", "#endif\n");
  folder.write("a.top", "#ifndef A\n#include \"b.itp\"\n");
  EXPECT_EQ(message_of(folder),
            "FILE/b.itp:1:1: #endif without #ifdef or #ifndef (remove it, or add the condition), included from "
            "FILE/a.top:2:1");
}

TEST(GromacsPreprocessor, MayRefuseToInclude) {
  GromacsOptions options;
  options.may_include = false;
  const TempFolder folder;
  folder.write("a.top", "#include \"a.itp\"\n");
  EXPECT_EQ(input_error_of(folder.path(), [&] { lines_of(folder, options); }),
            "FILE/a.top:1:1: #include \"a.itp\" (here a topology may not include files)");
}

TEST(GromacsPreprocessor, TooManyInclusions) {
  const TempFolder folder;
  folder.write("a.top", "#include \"0.itp\"\n");
  for (int k = 0; k < 60; ++k)
    folder.write(std::to_string(k) + ".itp", "#include \"" + std::to_string(k + 1) + ".itp\"\n");
  EXPECT_EQ(message_of(folder).substr(0, 89),
            "FILE/49.itp:1:1: files are included more than 50 deep (include them one after another), i");
  for (int k = 0; k < 30; ++k) {
    const std::string next = "#include \"" + std::to_string(k + 1) + ".itp\"\n";
    folder.write(std::to_string(k) + ".itp", next + next);
  }
  folder.write("30.itp", "x\n");
  EXPECT_NE(message_of(folder).find("more than 10000 files are included (join some of them)"), std::string::npos);
}

TEST(GromacsPreprocessor, AbsurdMacros) {
  const auto message = [](const std::string& text) {
    const TempFolder folder;
    folder.write("a.top", text);
    return message_of(folder);
  };
  std::string chain;
  for (int k = 0; k < 40; ++k) chain += "#define a" + std::to_string(k) + " a" + std::to_string(k + 1) + "\n";
  EXPECT_EQ(message(chain + "a0\n"),
            "FILE/a.top:41:1: 'a0': macros are nested more than 32 deep (define them with their values)");
  std::string doubled = "#define a0 x\n";
  for (int k = 0; k < 20; ++k) {
    const std::string name = "a" + std::to_string(k);
    doubled += "#define a" + std::to_string(k + 1) + " " + name + " " + name + "\n";
  }
  EXPECT_EQ(message(doubled + "a20\n"),
            "FILE/a.top:22:1: 'a20': a word has more than 1000 macros (define them with their values)");
  const std::string letters(300, 'x');
  std::string many = "#define a " + letters + "\n#define b";
  for (int k = 0; k < 100; ++k) many += " a";
  EXPECT_EQ(message(many + "\nb\n"),
            "FILE/a.top:3:1: 'b': a macro expands to more than 16384 characters (write shorter values)");
  std::string longer = "#define a " + letters + letters + "\n";
  for (int k = 0; k < 1000; ++k) longer += "a\n";
  EXPECT_NE(message(longer).find("macros make the topology more than 16 times as long"), std::string::npos);
}

}  // namespace
}  // namespace dropmd::gromacs
