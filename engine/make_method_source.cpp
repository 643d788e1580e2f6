#include "engine/make_method_source.h"

#include <algorithm>
#include <utility>

#include "core/errors.h"
#include "engine/replayed_choices.h"
#include "engine/skin.h"
#include "inputs/choices_file.h"

namespace dropmd {

namespace {

/// A tuner tries skins up to so many cutoffs, and down to so few.
constexpr double kLongestSkin = 0.5, kShortestSkin = 0.005;

/// On the processor of the run, in its precision; the one that it begins with first.
std::vector<TunerMethod> methods_for(const RunConfig& config, const Method& guess, const System& system) {
  std::vector<TunerMethod> methods;
  const auto add = [&](const Method& method) {
    methods.push_back({method.neighbor, has_skin(method) ? with_fitting_skin(method, system, config).skin : 0});
  };
  add(guess);
  for (const Method& method : available_methods(config, system.model, system.particles.size(), config.precision))
    if (method.backend == guess.backend && method.neighbor != guess.neighbor) add(method);
  return methods;
}

std::unique_ptr<MethodSource> replay(const RunConfig& config, const Method& guess, const System& system) {
  std::vector<MethodChoice> choices = read_choices_file(config.choices);
  const std::vector<TunerMethod> known = methods_for(config, guess, system);
  for (const MethodChoice& choice : choices)
    if (std::none_of(known.begin(), known.end(),
                     [&](const auto& method) { return method.neighbor == choice.neighbor; }))
      throw InputError({config.choices.string()},
                       "the method of step " + std::to_string(choice.step) + ", '" +
                           std::string(word_of(choice.neighbor)) + "', is not available for this run on the " +
                           std::string(word_of(guess.backend)) + " (choices are for the run that made them)");
  return std::make_unique<ReplayedChoices>(std::move(choices));
}

}  // namespace

TunerPolicy tuner_policy(Backend backend) {
  TunerPolicy policy;
  if (backend == Backend::cuda) return policy;
  // The host makes step after step: it pays for no graphs, and looks whenever it likes. Its lists are dear to build
  // only in the first steps, and cheap besides (a step's time, where a GPU takes two or three).
  policy.warm_steps = 2;
  policy.screen_steps = 8;
  policy.trial_steps = 100;
  policy.switch_seconds = 0;
  // Other programs may want the processors, too.
  policy.rounds = 3;
  policy.longest_trial = 1;
  return policy;
}

std::unique_ptr<MethodSource> make_method_source(const RunConfig& config, const Method& guess, const System& system,
                                                 const TunerPolicy& policy, Tuner::Log log) {
  if (!config.choices.empty()) return replay(config, guess, system);
  TunerTask task{.steps = config.steps,
                 .n_atoms = system.particles.size(),
                 .methods = methods_for(config, guess, system),
                 .length_unit = std::string(system.units.length)};
  const bool keeps = std::any_of(task.methods.begin(), task.methods.end(), [](const auto& m) { return m.skin > 0; });
  if (keeps && !config.skin) {
    task.shortest_skin = kShortestSkin * system.model.cutoff();
    task.longest_skin = kLongestSkin * system.model.cutoff();
  } else if (task.methods.size() == 1) {
    return nullptr;
  }
  return std::make_unique<Tuner>(std::move(task), policy, std::move(log));
}

}  // namespace dropmd
