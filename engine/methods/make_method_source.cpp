#include "engine/methods/make_method_source.h"

#include <fmt/core.h>

#include <algorithm>
#include <utility>

#include "core/errors.h"
#include "engine/methods/catalogue.h"
#include "engine/methods/method_parameters.h"
#include "engine/methods/method_rule.h"
#include "engine/methods/replayed_choices.h"
#include "engine/methods/step_cost.h"
#include "inputs/run_file/run_config.h"

namespace dropmd {

namespace {

/// Longest and shortest skin that a tuner tries, in cutoffs.
constexpr double kLongestSkin = 0.5, kShortestSkin = 0.005;

/// Returns the methods on the processor and in the precision of the run, each with a skin; the initial one comes first.
std::vector<Method> methods_for(const RunConfig& config, const Method& guess, const System& system) {
  const StepCost cost(system, config, guess);
  const Workload work = workload_at_start(system, config, guess.cpu);
  std::vector<Method> methods{guess};
  for (const Method& method : available_methods(config, system.model, system.particles.size(), config.precision))
    if (method.backend == guess.backend && method.neighbor != guess.neighbor)
      methods.push_back(cost.with_cheapest_skin(method, work));
  for (Method& method : methods)
    if (!has_skin(method)) method.skin = 0;
  return methods;
}

/// The same, each with every edge of cells or form of list.
std::vector<TunerMethod> candidates_for(const RunConfig& config, const Method& guess, const System& system) {
  std::vector<TunerMethod> candidates;
  for (const Method& method : methods_for(config, guess, system))
    for (const Method& candidate : with_each_parameter(method, system, config))
      candidates.push_back({candidate.neighbor, candidate.skin, candidate.cell_share, candidate.list_form});
  return candidates;
}

/// Returns whether the run allows a choice: of one of the methods, with an edge and a form that suit it or follow the
/// rule.
bool suits(const MethodChoice& choice, const std::vector<Method>& methods, const System& system,
           const RunConfig& config) {
  const auto method = std::find_if(methods.begin(), methods.end(),
                                   [&](const Method& each) { return each.neighbor == choice.neighbor; });
  if (method == methods.end()) return false;
  if (choice.cell_share == 0 && choice.list_form == ListForm::automatic) return true;
  const std::vector<Method> candidates = with_each_parameter(with_choice(*method, choice), system, config);
  return std::any_of(candidates.begin(), candidates.end(),
                     [&](const Method& candidate) { return choice_of(candidate, choice.step) == choice; });
}

/// Describes a choice, with edge and form if it has them.
std::string words_of(const MethodChoice& choice) {
  std::string text = "'" + std::string(word_of(choice.neighbor)) + "'";
  if (choice.cell_share > 0) text += fmt::format(" with a cell_share of {:.17g}", choice.cell_share);
  if (choice.list_form != ListForm::automatic)
    text += fmt::format(" with the list_form '{}'", word_of(choice.list_form));
  return text;
}

std::unique_ptr<MethodSource> replay(const RunConfig& config, const Method& guess, const System& system,
                                     const std::vector<MethodChoice>& choices) {
  const std::vector<Method> methods = methods_for(config, guess, system);
  for (const MethodChoice& choice : choices)
    if (!suits(choice, methods, system, config))
      throw InputError({(config.choices.empty() ? config.file : config.choices).string()},
                       fmt::format("the method of step {}, {}, is not available for this run on the {} (choices apply "
                                   "only to the run that made them)",
                                   choice.step, words_of(choice), word_of(guess.backend)));
  return std::make_unique<ReplayedChoices>(choices);
}

}  // namespace

TunerPolicy tuner_policy(Backend backend) {
  TunerPolicy policy;
  if (backend == Backend::cuda) return policy;
  // The host performs step after step: it needs no graphs and can be observed at any time. Its lists are expensive to
  // build only in the first steps, and cheap otherwise (the time of one step, where a GPU takes two or three).
  policy.warm_steps = 2;
  policy.screen_steps = 8;
  policy.trial_steps = 100;
  policy.switch_seconds = 0;
  // Other programs may use the processors, too.
  policy.rounds = 3;
  policy.longest_trial = 1;
  return policy;
}

std::unique_ptr<MethodSource> make_method_source(const RunConfig& config, const Method& guess, const System& system,
                                                 const std::vector<MethodChoice>& replayed, const TunerPolicy& policy,
                                                 MethodLog log) {
  if (!replayed.empty()) return replay(config, guess, system, replayed);
  if (config.neighbor != NeighborMethod::automatic && config.skin) return nullptr;
  if (!config.tune)
    return MethodRule::is_needed(config, guess, system)
               ? std::make_unique<MethodRule>(config, guess, system, std::move(log))
               : nullptr;
  TunerTask task{.steps = config.steps,
                 .n_atoms = system.particles.size(),
                 .methods = candidates_for(config, guess, system),
                 .cutoff = system.model.cutoff(),
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
