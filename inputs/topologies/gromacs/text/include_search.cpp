#include "inputs/topologies/gromacs/text/include_search.h"

#include <algorithm>
#include <cstdlib>
#include <system_error>

#include "inputs/text_source.h"

namespace dropmd::gromacs {
namespace {

namespace fs = std::filesystem;

void add_library_folders(std::vector<fs::path>& folders) {
  const char* const variable = std::getenv("GMXLIB");
  if (variable == nullptr) {
    const fs::path installed = "/usr/share/gromacs/top";
    std::error_code ignored;
    if (fs::is_directory(installed, ignored)) folders.push_back(installed);
    return;
  }
  std::string_view rest = variable;
  while (!rest.empty()) {
    const std::string_view folder = rest.substr(0, rest.find(':'));
    if (!folder.empty()) folders.emplace_back(folder);
    rest.remove_prefix(std::min(folder.size() + 1, rest.size()));
  }
}

}  // namespace

IncludeSearch::IncludeSearch(const GromacsOptions& options, const fs::path& topology) {
  folders_.push_back(topology.parent_path());
  folders_.insert(folders_.end(), options.include_folders.begin(), options.include_folders.end());
  add_library_folders(folders_);
}

std::vector<fs::path> IncludeSearch::folders_for(const fs::path& including_folder) const {
  std::vector<fs::path> folders = {including_folder};
  for (const fs::path& folder : folders_)
    if (std::find(folders.begin(), folders.end(), folder) == folders.end()) folders.push_back(folder);
  return folders;
}

std::optional<fs::path> IncludeSearch::find(std::string_view name, const fs::path& including_folder) const {
  for (const fs::path& folder : folders_for(including_folder)) {
    const fs::path candidate = folder / name;
    std::error_code ignored;
    if (fs::exists(candidate, ignored) && !fs::is_directory(candidate, ignored)) return candidate;
  }
  return std::nullopt;
}

std::string IncludeSearch::folders_text(const fs::path& including_folder) const {
  std::string text;
  for (const fs::path& folder : folders_for(including_folder))
    text += (text.empty() ? "" : ", ") + as_utf8(folder.empty() ? "." : folder.string());
  return text;
}

}  // namespace dropmd::gromacs
