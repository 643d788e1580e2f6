#include <filesystem>
#include <ostream>

#include "app/json_text.h"
#include "app/report/ensemble_page.h"
#include "app/report/report_page.h"
#include "app/shared_options.h"
#include "core/terminal_text.h"
#include "core/version.h"
#include "outputs/files/atomic_file.h"
#include "outputs/files/require_free.h"

namespace dropmd {

namespace {

namespace fs = std::filesystem;

constexpr std::string_view kNotes =
    "The page needs no other file and no network. DIR is the output folder of a run that is finished, in progress, "
    "stopped\nor failed, or of an ensemble; without -o the page is DIR/report.html.\n";

void add_options(OptionTable& options) {
  add_file_argument(options);
  add_common_options(options);
}

fs::path folder_of(const GivenOptions& options) {
  const std::vector<std::string> folders = options.list("file");
  constexpr const char* kUsage = " (dropmd report DIR)";
  if (folders.empty()) throw UsageError(std::string("no folder given") + kUsage);
  if (folders.size() > 1)
    throw UsageError("more than one folder: '" + folders[0] + "' and '" + folders[1] + "'" + kUsage);
  return folders[0];
}

/// Returns all files of the folder but pages: none of them may be overwritten, even by --force.
std::vector<fs::path> files_of_run(const fs::path& folder) {
  std::vector<fs::path> files;
  for (const auto& entry : fs::directory_iterator(folder))
    if (entry.is_regular_file() && entry.path().extension() != ".html") files.push_back(entry.path());
  return files;
}

Json texts(const std::vector<std::string>& lines) {
  Json::List list;
  for (const std::string& line : lines) list.push_back(line);
  return list;
}

ExitStatus run(const GivenOptions& options, Streams& streams) {
  const fs::path folder = folder_of(options);
  const fs::path file = options.has("output") ? fs::path(options.text("output")) : folder / "report.html";
  const bool overwrite = options.has("force");
  // The folder first: that it is missing is the better message.
  if (fs::is_directory(folder)) {
    require_free({file}, files_of_run(folder), overwrite);
    require_folder(file);
  }
  const ReportPage page = has_ensemble(folder) ? ensemble_page(folder) : report_page(folder);
  show_warnings(page.warnings, options, streams);
  write_atomically(file, overwrite, [&](FileWriter& writer) { writer.write(page.html); });
  if (options.has("json")) {
    streams.out << json_text(Json::Object{{"file", file.string()},
                                          {"bytes", std::uint64_t{page.html.size()}},
                                          {"parts", texts(page.parts)},
                                          {"left_out", texts(page.left_out)},
                                          {"version", kVersion}});
  } else if (!options.has("quiet")) {
    streams.out << without_commands(file.string()) << '\n';
    if (options.has("verbose"))
      for (const std::string& sentence : page.left_out)
        streams.out << "  left out: " << without_commands(sentence) << '\n';
  }
  return ExitStatus::done;
}

}  // namespace

Command report_command() {
  return {"report",
          "DIR",
          "a run's or ensemble's output folder as one HTML page: plots, 3-D view, events, means",
          {"dropmd run inputs/samples/droplet-4139.toml --steps 20 -o droplet-out", "dropmd report droplet-out",
           "dropmd report droplet-out -o page.html --json"},
          add_options,
          run,
          kNotes};
}

}  // namespace dropmd
