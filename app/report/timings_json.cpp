#include "app/report/timings_json.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "core/errors.h"
#include "inputs/csv_reader.h"

namespace dropmd {

namespace {

struct Phase {
  std::string name;
  double seconds;
};

struct Part {
  double number, first_step, last_step, seconds;
};

}  // namespace

Json timings_json(const std::filesystem::path& path) {
  CsvReader reader(path);
  if (reader.names() != std::vector<std::string>{"part", "first_step", "last_step", "phase", "seconds"})
    throw InputError({path.string(), 2}, "its columns are not those of a run's timings.csv");
  std::vector<Phase> phases;
  std::vector<Part> parts;
  while (reader.next()) {
    const auto fields = reader.fields();
    Part row{};
    const bool is_whole = read_number(fields[0], row.number) && read_number(fields[1], row.first_step) &&
                          read_number(fields[2], row.last_step) && read_number(fields[4], row.seconds);
    if (!is_whole || !std::isfinite(row.seconds)) throw InputError({path.string()}, "a row without its numbers");
    if (parts.empty() || parts.back().number != row.number)
      parts.push_back(row);
    else
      parts.back().seconds += row.seconds;
    const std::string name(fields[3]);
    const auto same = std::find_if(phases.begin(), phases.end(), [&](const Phase& p) { return p.name == name; });
    if (same == phases.end())
      phases.push_back({name, row.seconds});
    else
      same->seconds += row.seconds;
  }
  if (reader.skipped() > 0)  // a run replaces the file as a whole
    throw InputError({path.string()}, "a row with too few or too many fields (expected: the file that the run wrote)");
  if (parts.empty()) throw InputError({path.string()}, "no rows");
  std::stable_sort(phases.begin(), phases.end(), [](const Phase& a, const Phase& b) {
    return std::pair(a.name != "other", a.seconds) > std::pair(b.name != "other", b.seconds);
  });

  double steps = 0, seconds = 0;
  Json::List phase_list, part_list;
  for (const Part& part : parts) {
    steps += part.last_step - part.first_step;
    seconds += part.seconds;
    part_list.push_back(
        Json::Object{{"first_step", part.first_step}, {"last_step", part.last_step}, {"seconds", part.seconds}});
  }
  for (const Phase& phase : phases)
    phase_list.push_back(Json::Object{{"name", phase.name}, {"seconds", phase.seconds}});
  return Json::Object{
      {"steps", steps}, {"seconds", seconds}, {"phases", std::move(phase_list)}, {"parts", std::move(part_list)}};
}

}  // namespace dropmd
