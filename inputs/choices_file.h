#pragma once

#include <filesystem>
#include <vector>

#include "core/method_choice.h"

namespace dropmd {

/// Reads what a tuned run wrote to choices.csv: a row "step,neighbor,skin" for each choice, by ascending step from 0
/// on, below the names of the columns; lines that begin with # are comments. Throws InputError with FILE:LINE:COLUMN.
std::vector<MethodChoice> read_choices_file(const std::filesystem::path& path);

}  // namespace dropmd
