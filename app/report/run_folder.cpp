#include "app/report/run_folder.h"

#include <chrono>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>

#include "core/errors.h"

namespace dropmd {

namespace {

namespace fs = std::filesystem;

/// Files that show that a folder is a run's.
constexpr const char* kFilesOfRuns[] = {"status.json", "checkpoint.h5", "checkpoint-previous.h5", "energy.csv",
                                        "droplet.csv"};

std::optional<double> number_in(const nlohmann::json& json, const char* key) {
  const auto found = json.find(key);
  if (found == json.end() || !found->is_number()) return std::nullopt;
  return found->get<double>();
}

std::optional<ReadStatus> read_status(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  const nlohmann::json json = nlohmann::json::parse(text, nullptr, /*allow_exceptions=*/false);
  if (!json.is_object() || !json.contains("state") || !json["state"].is_string()) return std::nullopt;
  ReadStatus status{.state = json["state"].get<std::string>(),
                    .step = number_in(json, "step"),
                    .steps = number_in(json, "steps"),
                    .time = number_in(json, "time"),
                    .energy = number_in(json, "energy"),
                    .temperature = number_in(json, "temperature"),
                    .steps_per_second = number_in(json, "steps_per_second"),
                    .eta_seconds = number_in(json, "eta_seconds"),
                    .checkpoint_step = number_in(json, "checkpoint_step")};
  std::error_code ignored;
  const auto written = fs::last_write_time(path, ignored);
  status.age = std::chrono::duration<double>(fs::file_time_type::clock::now() - written).count();
  return status;
}

}  // namespace

bool RunFolder::has(const fs::path& name) const {
  std::error_code ignored;
  return !name.empty() && fs::is_regular_file(path / name, ignored);
}

std::string RunFolder::title() const { return run ? run->config.title : std::string(); }

RunFolder read_run_folder(const fs::path& path) {
  std::error_code ignored;
  if (!fs::exists(path, ignored))
    throw InputError({path.string()}, "no such folder (expected: the output folder of a run)");
  if (!fs::is_directory(path, ignored))
    throw InputError({path.string()}, "not a folder (expected: the output folder of a run)");
  RunFolder folder{path};
  bool any = false;
  for (const char* name : kFilesOfRuns) any = any || folder.has(name);
  if (!any)
    throw InputError(
        {path.string()},
        "no run has left its files here (expected: a folder with energy.csv, status.json or checkpoint.h5)");

  if (folder.has("status.json")) folder.status = read_status(path / "status.json");
  if (!folder.status) folder.no_status = folder.has("status.json") ? "status.json cannot be read" : "no status.json";
  if (!folder.has("checkpoint.h5") && !folder.has("checkpoint-previous.h5")) {
    folder.no_run = "there is no checkpoint yet, which would contain the run file";
    return folder;
  }
  try {
    folder.run = resume_run(path);
  } catch (const Error& error) {
    folder.no_run = error.what();
  }
  return folder;
}

}  // namespace dropmd
