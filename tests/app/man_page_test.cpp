#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "app/command.h"
#include "app/shared_options.h"
#include "tests/support/system/child_process.h"
#include "tests/support/system/needed_file.h"

/// docs/dropmd.1 knows the commands and the options that `dropmd help` shows.
namespace dropmd {
namespace {

using testing::HasSubstr;

std::string man_page() { return text_of(source_file("docs/dropmd.1")); }

void expect_options_in_page(const OptionTable& options) {
  for (const OptionTable::Entry& entry : options.entries()) {
    if (entry.words) continue;
    EXPECT_THAT(man_page(), HasSubstr("Fl Fl " + entry.option.long_name()));
  }
}

TEST(ManPage, NamesEveryCommand) {
  for (const Command& command : all_commands())
    EXPECT_THAT(man_page(), HasSubstr("\n.It Cm " + std::string(command.name)));
}

TEST(ManPage, NamesEverySharedOption) {
  OptionTable shared;
  add_common_options(shared);
  add_method_options(shared);
  expect_options_in_page(shared);
}

TEST(ManPage, NamesEveryOptionOfRun) { expect_options_in_page(options_of(find_command("run"))); }

TEST(ManPage, NamesNoOptionThatIsGone) {
  std::set<std::string> known{"version"};
  for (const Command& command : all_commands()) {
    const OptionTable options = options_of(command);
    for (const OptionTable::Entry& entry : options.entries()) known.insert(entry.option.long_name());
  }
  const std::string page = man_page(), mark = "Fl Fl ";
  for (std::size_t at = page.find(mark); at != std::string::npos; at = page.find(mark, at + 1)) {
    const std::size_t begin = at + mark.size();
    EXPECT_EQ(known.count(page.substr(begin, page.find_first_of(" \n", begin) - begin)), 1U) << page.substr(at, 40);
  }
}

}  // namespace
}  // namespace dropmd
