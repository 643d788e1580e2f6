#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "app/command.h"
#include "app/shared_options.h"
#include "tests/support/child_process.h"
#include "tests/support/needed_file.h"

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

}  // namespace
}  // namespace dropmd
