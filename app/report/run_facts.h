#pragma once

#include <string>

#include "app/report/run_folder.h"

/// What a report says in words about the run, as HTML.
namespace dropmd {

/// Returns the state: "finished" or "running, step 300 of 1000", in an element with the state as its data-state, and a
/// progress bar.
std::string state_html(const RunFolder& folder);

/// Returns rows of a table: version, processor, atoms, steps, time, rate and so on, as far as known. header: the line
/// of units of one of the run's tables; empty: there is none.
std::string facts_html(const RunFolder& folder, const std::string& header);

/// Returns the resolved run file, foldable; empty if it is not known.
std::string run_file_html(const RunFolder& folder);

/// Returns a duration in words: "42 s", "3 min 20 s", "5 h 10 min".
std::string duration_text(double seconds);

}  // namespace dropmd
