#include "engine/outer_step_rules.h"

#include <fmt/core.h>

#include <stdexcept>

#include "core/errors.h"
#include "inputs/run_file/run_config.h"
#include "integrators/integrator.h"

namespace dropmd {

void require_outer_steps(const System& system, const IntegrationSettings& settings) {
  const OuterSteps& outer = system.outer;
  if (outer.every < 1) throw std::invalid_argument("the number of steps between outer steps must be at least 1");
  if (!outer.has_inner()) return;
  if (!allows_slow_forces(settings.integrator))
    throw std::invalid_argument(
        fmt::format("the integrator '{}' does not support forces that are computed every {} steps (use velocity-verlet "
                    "or langevin)",
                    settings.integrator.form, outer.every));
  if (!outer.divide(settings.recenter_every))
    throw std::invalid_argument(fmt::format("recenter_every is {}, not a multiple of the {} steps between outer steps",
                                            settings.recenter_every, outer.every));
}

void require_outer_steps(const RunConfig& config, const System& system, std::int64_t first,
                         std::int64_t self_check_every) {
  const OuterSteps& outer = system.outer;
  const auto require = [&](std::int64_t steps, const char* what) {
    if (!outer.divide(steps))
      throw InputError(
          {config.file.string()},
          fmt::format("{} is {}, not a multiple of 'mesh-every' in [coulomb], {} (choose a multiple, such as {})", what,
                      steps, outer.every, outer.from(steps)));
  };
  require(first, "the step of the checkpoint");
  require(config.steps, "'steps' in [run], or --steps,");
  require(self_check_every, "the interval of --self-check");
}

void require_outer_step(const OuterSteps& outer, std::int64_t step, const char* what) {
  if (!outer.divide(step))
    throw std::invalid_argument(
        fmt::format("{} is step {}: only every {}th step is complete (mesh-every; choose a multiple, such as {})", what,
                    step, outer.every, outer.from(step)));
}

}  // namespace dropmd
