#pragma once

#include <filesystem>
#include <vector>

#include "core/run/method_choice.h"

namespace dropmd {

/// Reads what a tuned run wrote to choices.csv: a row "step,neighbor,skin,cell_share,list_form" for each choice, by
/// ascending step from 0 on, below the names of the columns, of which the last two may be left out: edge and form are
/// then those of the rule. Lines that begin with # are comments. Throws InputError with FILE:LINE:COLUMN.
std::vector<MethodChoice> read_choices_file(const std::filesystem::path& path);

/// What the tuned run wrote between the rows: "# step N: TEXT". Other comments, and texts that are not ASCII as that
/// program's are, are left out.
std::vector<ChoiceComment> read_choice_comments(const std::filesystem::path& path);

}  // namespace dropmd
