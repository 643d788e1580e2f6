#include "engine/jobs/run_parts.h"

#include <memory>
#include <string>
#include <utility>

#include "engine/droplet/atom_groups.h"
#include "engine/jobs/run_checkpoint.h"
#include "engine/jobs/run_warnings.h"
#include "engine/jobs/same_run.h"
#include "engine/methods/make_method_source.h"
#include "engine/methods/method_rule.h"
#include "engine/methods/tuner.h"
#include "engine/outer_step_rules.h"
#include "inputs/choices_file.h"

namespace dropmd {

namespace {

System prepared_system(const RunConfig& config, const RunHooks& hooks, const Checkpoint* from, Timings& timings) {
  const Timings::Scope scope(timings, "inputs");
  System system = from != nullptr ? continued_system(config, *from) : read_system(config);
  if (from != nullptr) {
    require_steps_left(config, from->state);
    require_loadable_state(config, system, from->state);
    require_same_actions(config, *from, hooks.actions);
  }
  set_first_groups(system, config, droplet_of(from));
  require_outer_steps(config, system, from != nullptr ? from->state.step : 0, hooks.self_check_every);
  for (std::string& warning : run_warnings(config, system)) system.warnings.push_back(std::move(warning));
  if (config.ranks != nullptr) require_same_run(*config.ranks, config, system, from != nullptr ? from->state.step : 0);
  return system;
}

/// Returns the choices that a run replays: those of a file, or those that it replayed before, unless it continues in
/// another way.
std::vector<MethodChoice> replayed_choices(const RunConfig& config, const Method& method, const Checkpoint* from) {
  if (!config.choices.empty()) return read_choices_file(config.choices);
  const bool as_before = from != nullptr && config.neighbor == NeighborMethod::automatic &&
                         method.backend == from->state.backend && method.precision == from->state.precision;
  return as_before ? from->replayed : std::vector<MethodChoice>{};
}

std::unique_ptr<MethodSource> make_source(const RunParts& parts, const RunConfig& config, const RunHooks& hooks,
                                          MethodLog log) {
  return make_method_source(config, parts.method, parts.system, parts.replayed,
                            hooks.tuner.value_or(tuner_policy(parts.method.backend)), std::move(log));
}

}  // namespace

RunParts::RunParts(const RunConfig& config, const RunHooks& hooks, const Checkpoint* from, const MethodLog& log)
    : system(prepared_system(config, hooks, from, timings)),
      method(choose_by_rule(config, system)),
      replayed(replayed_choices(config, method, from)),
      loop(system, config, method, timings, make_source(*this, config, hooks, log),
           from != nullptr ? &from->state : nullptr) {
  for (PopulationAction& action : actions_to_come(from, hooks.actions)) loop.add_action(std::move(action));
  loop.on_segment([this, &config, &hooks, log] {
    method = choose_by_rule(config, system);
    return StepLoop::SegmentMethod{method, make_source(*this, config, hooks, log)};
  });
}

}  // namespace dropmd
