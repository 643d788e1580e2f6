#include "engine/methods/method_rule.h"

#include <fmt/core.h>

#include <algorithm>
#include <utility>

#include "engine/methods/catalogue.h"
#include "engine/methods/useful_gpus.h"
#include "inputs/run_file/run_config.h"

namespace dropmd {

namespace {

/// Another method or skin must be cheaper by more than this factor: a change costs a new list or, on a GPU, new graphs,
/// and the error of the model is about as large.
constexpr double kWorthChanging = 1.05;
/// Runs with more time left are told of the tuner, which costs up to 3% of the time and may gain up to 10%.
constexpr double kLongRun = 1800;  // seconds

std::vector<Method> methods_of(const RunConfig& config, const Method& processor, const System& system) {
  std::vector<Method> methods = available_methods(config, system.model, system.particles.size(), config.precision);
  std::erase_if(methods, [&](const Method& method) { return method.backend != processor.backend; });
  return methods;
}

Method cheapest(const std::vector<Method>& methods, const StepCost& cost, const Workload& work) {
  std::vector<Method> candidates;
  for (const Method& method : methods) candidates.push_back(cost.with_cheapest_skin(method, work));
  return *std::min_element(candidates.begin(), candidates.end(),
                           [&](const Method& a, const Method& b) { return cost.of(a, work) < cost.of(b, work); });
}

std::string words_of(const MethodChoice& choice, const Units& units) {
  std::string text(word_of(choice.neighbor));
  if (choice.skin > 0) text += fmt::format(" with a skin of {:.3g} {}", choice.skin, units.length);
  return text;
}

Method cheapest_method(const RunConfig& config, const System& system) {
  Method method = choose_method(config, system.model, system.particles.size());
  if (!MethodRule::is_needed(config, method, system)) return method;
  const StepCost cost(system, config, method);
  const Workload work = workload_at_start(system, config, method.cpu);
  const Method best = cheapest(methods_of(config, method, system), cost, work);
  method.neighbor = best.neighbor;
  method.skin = has_skin(best) ? best.skin : 0;
  return method;
}

}  // namespace

Method choose_by_rule(const RunConfig& config, const System& system) {
  Method method = cheapest_method(config, system);
  if (method.devices.size() < 2 || are_useful_gpus(method, system)) return method;
  RunConfig alone = config;
  alone.devices.clear();
  method = cheapest_method(alone, system);
  method.note = fmt::format("GPU {} performs all steps: {} GPUs would not be faster with so few atoms", config.device,
                            config.devices.size());
  return method;
}

bool MethodRule::is_needed(const RunConfig& config, const Method& processor, const System& system) {
  const std::vector<Method> methods = methods_of(config, processor, system);
  return methods.size() > 1 || (!config.skin && has_skin(methods.front()));
}

MethodRule::MethodRule(const RunConfig& config, const Method& start, const System& system, MethodLog log)
    : config_(config),
      system_(system),
      start_(start),
      methods_(methods_of(config, start, system)),
      cost_(system, config, start),
      log_(std::move(log)) {}

std::int64_t MethodRule::look_after(std::int64_t step, const OuterSteps& outer) {
  const std::int64_t first = outer.from(100), second = outer.from(1'000), every = outer.from(10'000);
  if (step < first) return first;
  if (step < second) return second;
  return (step / every + 1) * every;
}

MethodRequest MethodRule::next(const StepReport& report, const std::function<StepSums()>& sums) {
  const std::int64_t until = look_after(report.step, system_.outer);
  const bool looks = report.step > 0 && look_after(report.step - 1, system_.outer) == report.step;
  advise(report);
  if (!looks || report.refused) return {report.in_use, until};
  const Workload work = workload_of(system_, config_, sums());
  const Method in_use = with_choice(start_, report.in_use), best = cheapest(methods_, cost_, work);
  if (cost_.of(in_use, work) <= kWorthChanging * cost_.of(best, work)) return {report.in_use, until};
  MethodChoice choice = choice_of(best, report.step);
  if (!has_skin(best)) choice.skin = 0;
  log_(report.step,
       fmt::format("{} instead of {}", words_of(choice, system_.units), words_of(report.in_use, system_.units)), {});
  return {choice, until};
}

/// Tells a long run, once, that the tuner may find a faster method.
void MethodRule::advise(const StepReport& report) {
  if (advised_ || report.steps == 0) return;
  const double left =
      static_cast<double>(config_.steps - report.step) * report.seconds / static_cast<double>(report.steps);
  if (left < kLongRun) return;
  advised_ = true;
  log_(report.step,
       fmt::format("about {:.1f} h are left; tune = true in [neighbor] times other methods and skins, which may save "
                   "up to a tenth",
                   left / 3600),
       {});
}

}  // namespace dropmd
