#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "app/json_text.h"

/// The tables that a run writes, as JSON for the page of a report: {header, rows, skipped, shown, columns}. A column is
/// {name, unit, offset, data}: base64 of Float32 values to which `offset` is added, so that small changes of a large
/// energy keep their digits.
namespace dropmd {

/// Returns a table of numbers (energy.csv, ledger.csv, droplet.csv) with at most `most_rows` rows (row_thinning.h).
/// Throws InputError for a file that is not such a table.
Json series_json(const std::filesystem::path& path, std::size_t most_rows);

/// Returns events.csv: `counts` is a table of the numbers of molecules so far, {time, evaporated, condensed, ...};
/// `list` has the last `most_listed` events, each as an object with time, event, name, molecule, charge, molecules and
/// kinetic. Throws InputError.
Json events_json(const std::filesystem::path& path, std::size_t most_rows, std::size_t most_listed);

/// Returns profile.csv: `blocks` are the steps at which profiles were written, at most `most_blocks`, evenly chosen
/// with the first and the last; the columns have the shells of one block after the other, `shells` values each. Throws
/// InputError.
Json profile_json(const std::filesystem::path& path, std::size_t most_blocks);

/// Returns the unit of a column, by the line of units of its table: "kcal/mol", "Å"; empty: it is a number. table: the
/// file's name, since a potential is an energy in one and one over a charge in another.
std::string unit_of_column(std::string_view name, std::string_view header, std::string_view table);

/// Returns a unit as it is written on paper: "Å" for "A", "σ" for "sigma".
std::string printed_unit(std::string_view unit);

}  // namespace dropmd
