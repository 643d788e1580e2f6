#include "inputs/text_source.h"

#include <sys/stat.h>
#include <unistd.h>

#include "inputs/line_reader.h"
#include "tests/inputs/bad_files.h"

namespace dropmd {
namespace {

std::string message_for_path(const std::filesystem::path& path) {
  return input_error_of(path, [&] { read_text_source(path, "a droplet file"); });
}

TEST(TextSource, MissingFile) {
  const TempFolder folder;
  EXPECT_EQ(message_for_path(folder.path() / "none.drop"), "FILE: no such file (check the path)");
}

TEST(TextSource, FileUsedAsAFolder) {
  const TempFolder folder;
  const std::filesystem::path path = folder.write("a", "text") / "b.drop";
  EXPECT_EQ(message_for_path(path), "FILE: no such file (check the path)");
}

TEST(TextSource, Directory) {
  const TempFolder folder;
  EXPECT_EQ(message_for_path(folder.path()), "FILE: is a directory (a droplet file is expected)");
}

TEST(TextSource, PipeIsNotOpened) {
  const TempFolder folder;
  const std::filesystem::path path = folder.path() / "pipe";
  ASSERT_EQ(::mkfifo(path.c_str(), 0600), 0);
  EXPECT_EQ(message_for_path(path),
            "FILE: is a device or a pipe (a droplet file is expected; copy the data to a file)");
}

TEST(TextSource, NoPermission) {
  if (::geteuid() == 0) GTEST_SKIP() << "root may read everything";
  const TempFolder folder;
  const std::filesystem::path path = folder.write("a.drop", "text");
  std::filesystem::permissions(path, std::filesystem::perms::none);
  EXPECT_EQ(message_for_path(path), "FILE: cannot be opened: Permission denied (check its permissions)");
}

TEST(TextSource, ByteOrderMarkIsDropped) {
  const TempFolder folder;
  EXPECT_EQ(read_text_source(folder.write("a", "\xEF\xBB\xBFtitle\n"), "a file").text, "title\n");
}

TEST(LineReader, WordsAndColumns) {
  const TextSource source{"a", "  one\ttwo \r\n\r\nlast"};
  LineReader lines(source);
  ASSERT_TRUE(lines.next_line());
  const Word one = lines.next_word();
  const Word two = lines.next_word();
  EXPECT_EQ(one.text, "one");
  EXPECT_EQ(one.column, 3U);
  EXPECT_EQ(two.text, "two");
  EXPECT_EQ(two.column, 7U);
  EXPECT_FALSE(lines.next_word());
  EXPECT_EQ(lines.line(), "  one\ttwo ") << "without its line end";
  ASSERT_TRUE(lines.next_line());
  EXPECT_EQ(lines.line(), "");
  EXPECT_TRUE(lines.line_is_blank());
  EXPECT_TRUE(lines.line_is_terminated());
  ASSERT_TRUE(lines.next_line());
  EXPECT_EQ(lines.line(), "last");
  EXPECT_FALSE(lines.line_is_terminated());
  EXPECT_EQ(lines.line_number(), 3U);
  EXPECT_FALSE(lines.next_line());
}

TEST(ParseNumber, FormsOfNumbers) {
  const auto parsed = [](std::string_view text) { return parse_number(text, SourcePlace{"a", 1, 1}, "x"); };
  EXPECT_EQ(parsed("-1.25e-3"), -1.25e-3);
  EXPECT_EQ(parsed("+4"), 4.0);
  EXPECT_EQ(parsed(".5"), 0.5);
  EXPECT_EQ(parsed("1.7976931348623157e308"), 1.7976931348623157e308);
  EXPECT_EQ(parsed("5e-324"), 5e-324);
  EXPECT_EQ(parsed("1e-999"), 0.0);
}

TEST(TextSource, BytesThatAreNoUtf8AreReplaced) {
  for (const std::string whole :
       {"", "plain", "\xC3\xA9", "\xE2\x82\xAC", "\xEF\xBF\xBD", "\xF0\x9F\x92\xA7", "\xED\x9F\xBF"})
    EXPECT_EQ(as_utf8(whole), whole);
  const std::string r = "\xEF\xBF\xBD";
  EXPECT_EQ(as_utf8("a\xFF"
                    "b"),
            "a" + r + "b");
  EXPECT_EQ(as_utf8("caf\xE9"), "caf" + r) << "Latin-1";
  EXPECT_EQ(as_utf8("\xC0\xAF"), r + r) << "overlong";
  EXPECT_EQ(as_utf8("\xE0\x80\xAF"), r + r + r) << "overlong";
  EXPECT_EQ(as_utf8("\xED\xA0\x80"), r + r + r) << "a surrogate";
  EXPECT_EQ(as_utf8("\xF4\x90\x80\x80"), r + r + r + r) << "beyond U+10FFFF";
  EXPECT_EQ(as_utf8("\xE2\x82"), r + r) << "cut";
}

TEST(TextSource, WordsAreShownWithoutWhatATerminalObeys) {
  EXPECT_EQ(shown("\u00e9t\u00e9 \u20ac"), "\u00e9t\u00e9 \u20ac");
  EXPECT_EQ(shown("\x1b[31m\n\x7f"), "?[31m??");
  EXPECT_EQ(shown("a\xc2\x9b\x62\xc2\x80\xc2\x9f\xc2\xa0"), "a?b??\xc2\xa0");
  EXPECT_EQ(shown("\xe2\x80\xaa\xe2\x80\xae\xe2\x80\xaf"), "??\xe2\x80\xaf");
  EXPECT_EQ(shown("\xe2\x81\xa6\xe2\x81\xa9\xe2\x81\xaa"), "??\xe2\x81\xaa");
  EXPECT_EQ(shown("\xc2"), "\xc2") << "the rest is not there";
  EXPECT_EQ(shown(""), "");
}

}  // namespace
}  // namespace dropmd
