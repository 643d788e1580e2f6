#include "app/run_settings.h"

#include <cstdint>
#include <string>

#include "app/option_values.h"

namespace dropmd {

namespace {

Setting setting_of(const GivenOptions& options, const std::string& option, const std::string& section,
                   const std::string& key, TomlValue value) {
  return {section, key, std::move(value), {"--" + option + ' ' + options.text(option)}};
}

}  // namespace

void add_setting_options(OptionTable& options) {
  options.add({}, {{"seed", "seed of everything random: system.random-seed", "S"},
                   {"timestep", "integrator.timestep; overrides the run file", "DT"},
                   {"set", "any key of the run file; may be repeated: wall.radius=30", "SECTION.KEY=VALUE", true}});
}

std::vector<Setting> settings_of(const GivenOptions& options) {
  std::vector<Setting> settings;
  if (options.has("seed"))
    settings.push_back(
        setting_of(options, "seed", "system", "random-seed", whole_option<std::int64_t>(options, "seed", 0)));
  if (options.has("timestep"))
    settings.push_back(
        setting_of(options, "timestep", "integrator", "timestep", real_option(options, "timestep", Zero::excluded)));
  for (const std::string& text : options.list("set")) settings.push_back(parse_setting("--set", text));
  return settings;
}

void require_use_of_settings(const std::vector<Setting>& settings) {
  for (const Setting& setting : settings) {
    if (setting.section == "output" && setting.key == "directory")
      throw UsageError(setting.place.text() + ": a run resumes in the folder of its checkpoint (-o for another one)");
    if (setting.section == "system" && setting.key != "random-seed")
      throw UsageError(setting.place.text() + ": a resumed run takes its atoms from the checkpoint (leave it out)");
  }
}

}  // namespace dropmd
