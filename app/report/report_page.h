#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace dropmd {

/// A report, and what is in it.
struct ReportPage {
  std::string html;                ///< the whole page
  std::vector<std::string> parts;  ///< names of its parts: "energy", "droplet", "events", ...
  /// A sentence for each part that is left out, which says why.
  std::vector<std::string> left_out;
  std::vector<std::string> warnings;  ///< those of them that concern a damaged file, though the part is there
};

/// Makes the page of a run's output folder, `path`: HTML that needs no other file. A part whose files are missing or
/// cannot be read is left out. Throws InputError if the folder has no run.
ReportPage report_page(const std::filesystem::path& path);

}  // namespace dropmd
