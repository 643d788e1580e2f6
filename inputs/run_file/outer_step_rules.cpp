#include "inputs/run_file/outer_step_rules.h"

#include <fmt/core.h>

#include <algorithm>
#include <string_view>

#include "core/alternatives.h"
#include "core/outer_steps.h"

namespace dropmd {
namespace {

const TomlEntry* entry_of(const TomlDocument& document, std::string_view section, std::string_view key) {
  const TomlSection* const found = find_section(document, section);
  if (found == nullptr) return nullptr;
  const auto entry = std::find_if(found->entries.begin(), found->entries.end(),
                                  [key](const TomlEntry& one) { return one.key == key; });
  return entry == found->entries.end() ? nullptr : &*entry;
}

/// Reports intervals of a run with this `mesh-every`.
class IntervalCheck {
 public:
  IntervalCheck(const TomlDocument& document, const TomlEntry& mesh_every, OuterSteps outer, MistakeList& mistakes)
      : document_(document), mesh_every_(mesh_every), outer_(outer), mistakes_(mistakes) {}

  /// The mistake is at the interval or, if its default is in effect, at `mesh-every`.
  void operator()(std::string_view section, std::string_view key, std::int64_t steps) {
    if (outer_.divide(steps)) return;
    const TomlEntry* const given = entry_of(document_, section, key);
    mistakes_.add(
        (given != nullptr ? *given : mesh_every_).value_place,
        fmt::format(
            "'{}' in [{}] is {}{}, not a multiple of 'mesh-every' in [coulomb], {} (choose a multiple, such as {})",
            key, section, steps, given != nullptr ? "" : " by default", outer_.every, outer_.from(steps)));
  }

 private:
  const TomlDocument& document_;
  const TomlEntry& mesh_every_;
  OuterSteps outer_;
  MistakeList& mistakes_;
};

}  // namespace

void check_outer_steps(const TomlDocument& document, const FormCatalog& catalog, MistakeList& mistakes,
                       const RunConfig& config) {
  const OuterSteps outer{config.coulomb_settings.mesh_every.value_or(1)};
  const TomlEntry* const mesh_every = entry_of(document, "coulomb", "mesh-every");
  if (mesh_every == nullptr || !outer.has_inner() || config.coulomb_settings.method == CoulombMethod::direct) return;
  const auto& integrators = catalog.slow_force_integrators;
  if (const std::string& form = config.integrator.form;
      !form.empty() && std::find(integrators.begin(), integrators.end(), form) == integrators.end())
    mistakes.add(mesh_every->value_place,
                 fmt::format("'mesh-every' in [coulomb] is {} with the integrator '{}' (use {}, or set it to 1)",
                             outer.every, form, alternatives(integrators)));
  IntervalCheck check(document, *mesh_every, outer, mistakes);
  check("run", "recenter-every", config.recenter_every);
  check("output", "energy-every", config.energy_every);
  check("output", "trajectory-every", config.trajectory_every);
  check("output", "checkpoint-every", config.checkpoint_every);
  if (config.droplet) check("droplet", "every", config.droplet->every);
  if (config.map) check("map", "every", config.map->every);
}

}  // namespace dropmd
