#pragma once

#include <filesystem>
#include <vector>

#include "core/run/method_choice.h"

namespace dropmd {

/// Reads the choices.csv of a tuned run: a header with the names of the columns, then a row
/// "step,neighbor,skin,cell_share,list_form" for each choice, in ascending order of steps from 0 on. The last two
/// columns may be missing; cell edge and list form then follow the rule. Lines that begin with # are comments. Throws
/// InputError with FILE:LINE:COLUMN.
std::vector<MethodChoice> read_choices_file(const std::filesystem::path& path);

/// Returns the comments "# step N: TEXT" that the tuned run wrote between the rows. Other comments, and texts with
/// characters beyond ASCII, which dropmd never writes, are left out.
std::vector<ChoiceComment> read_choice_comments(const std::filesystem::path& path);

}  // namespace dropmd
