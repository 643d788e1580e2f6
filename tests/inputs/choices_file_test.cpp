#include "inputs/choices_file.h"

#include "inputs/run_file/choice_words.h"
#include "outputs/choices_csv.h"
#include "tests/inputs/bad_files.h"

namespace dropmd {
namespace {

TEST(ChoicesFile, ReadsWhatWasWritten) {
  const TempFolder folder;
  const std::filesystem::path path = folder.path() / "choices.csv";
  const double skin = 0.1 + 0.2;  // has no short decimal form
  ChoicesCsv csv({path, false});
  const std::vector<MethodChoice> choices{{0, NeighborMethod::pair_list, skin},
                                          {120, NeighborMethod::cells, 0, 1.0 / 3},
                                          {140, NeighborMethod::pair_list, skin, 0, ListForm::persistent},
                                          {150, NeighborMethod::pair_list, skin, 0, ListForm::clusters},
                                          {160, NeighborMethod::pair_list, skin, 0, ListForm::two_atom},
                                          {9'000'000'000, NeighborMethod::all_pairs, 0}};
  for (const MethodChoice& choice : choices) {
    csv.append(choice, word_of_value(kNeighborWords, choice.neighbor), word_of_value(kListFormWords, choice.list_form));
    csv.comment(choice.step, "cells, 12 us a step (at the start)");
  }
  csv.close();
  EXPECT_EQ(read_choices_file(path), choices);
}

/// Edge and form are those of the rule.
TEST(ChoicesFile, ReadsFilesWithoutEdgesAndForms) {
  const TempFolder folder;
  const auto path = folder.write("choices.csv", "step,neighbor,skin\n0,cells,0\n40,pair-list,0.4\n");
  EXPECT_EQ(read_choices_file(path), (std::vector<MethodChoice>{
                                         {0, NeighborMethod::cells, 0, 0, ListForm::automatic},
                                         {40, NeighborMethod::pair_list, 0.4, 0, ListForm::automatic},
                                     }));
}

TEST(ChoicesFile, ReadsFormerWordsOfForms) {
  const TempFolder folder;
  const auto path = folder.write("choices.csv",
                                 "step,neighbor,skin,cell_share,list_form\n0,pair-list,0.4,0,resident\n"
                                 "40,pair-list,0.4,0,twins\n");
  EXPECT_EQ(read_choices_file(path), (std::vector<MethodChoice>{
                                         {0, NeighborMethod::pair_list, 0.4, 0, ListForm::persistent},
                                         {40, NeighborMethod::pair_list, 0.4, 0, ListForm::two_atom},
                                     }));
}

/// The run was killed while it wrote a row.
TEST(ChoicesFile, PassesOverAnInterruptedRow) {
  const TempFolder folder;
  const auto path = folder.write("choices.csv", "step,neighbor,skin\n0,cells,0\n40,pair-list,0.4");
  EXPECT_EQ(read_choices_file(path), (std::vector<MethodChoice>{{0, NeighborMethod::cells, 0}}));
}

class BadChoicesFile : public testing::TestWithParam<BadFile> {};

TEST_P(BadChoicesFile, SaysWhatIsWrong) {
  EXPECT_EQ(message_for_text("choices.csv", GetParam().text, read_choices_file), GetParam().message);
}

INSTANTIATE_TEST_SUITE_P(
    Files, BadChoicesFile,
    testing::Values(
        BadFile{"no_names", "0,cells,0\n",
                "FILE:1:1: the names of the columns are missing (expected: step,neighbor,skin,cell_share,list_form)"},
        BadFile{"no_rows", "# a comment\nstep,neighbor,skin\n",
                "FILE:3:1: there is no choice in the file (it needs at least the one for step 0)"},
        BadFile{"late_start", "step,neighbor,skin\n5,cells,0\n",
                "FILE:2:1: the first choice is for step 5 (it must be for step 0)"},
        BadFile{"disorder", "step,neighbor,skin\n0,cells,0\n9,all-pairs,0\n9,cells,0\n",
                "FILE:4:1: step 9 after step 9 (steps must ascend)"},
        BadFile{"unknown_method", "step,neighbor,skin\n0,cell,0\n",
                "FILE:2:3: unknown method 'cell' (did you mean 'cells'?)"},
        BadFile{"automatic", "step,neighbor,skin\n0,auto,0\n",
                "FILE:2:3: unknown method 'auto' (known: all-pairs, cells, sorted-cells, pair-list)"},
        BadFile{"few_fields", "step,neighbor,skin\n0,cells\n",
                "FILE:2:1: a row must have 3 fields (step,neighbor,skin)"},
        BadFile{"many_fields", "step,neighbor,skin\n0,cells,0,0\n",
                "FILE:2:1: a row must have 3 fields (step,neighbor,skin)"},
        BadFile{"no_step", "step,neighbor,skin\n0x,cells,0\n",
                "FILE:2:1: the step '0x' is not a whole number of at least 0"},
        BadFile{"no_skin", "step,neighbor,skin\n0,pair-list,-1\n", "FILE:2:13: the skin is -1 (it must be at least 0)"},
        BadFile{"other_names", "step,neighbor,skin,cell_share\n0,cells,0,0.5\n",
                "FILE:1:1: the names of the columns are missing (expected: step,neighbor,skin,cell_share,list_form)"},
        BadFile{"few_of_five_fields", "step,neighbor,skin,cell_share,list_form\n0,cells,0\n",
                "FILE:2:1: a row must have 5 fields (step,neighbor,skin,cell_share,list_form)"},
        BadFile{"no_share", "step,neighbor,skin,cell_share,list_form\n0,cells,0,half,auto\n",
                "FILE:2:11: the cell_share is 'half', not a number (expected: a decimal number such as -1.25e-3)"},
        BadFile{"negative_share", "step,neighbor,skin,cell_share,list_form\n0,cells,0,-0.5,auto\n",
                "FILE:2:11: the cell_share is -0.5 (it must be at least 0)"},
        BadFile{"unknown_form", "step,neighbor,skin,cell_share,list_form\n0,pair-list,0.4,0,cluster\n",
                "FILE:2:19: unknown list_form 'cluster' (did you mean 'clusters'?)"}),
    bad_file_name);

}  // namespace
}  // namespace dropmd
