#include "engine/methods/step_cost.h"

#include <algorithm>

#include "engine/methods/catalogue.h"

namespace dropmd {

namespace {

/// Skins that are compared, as fractions of the cutoff: the cost is so flat near its minimum that steps of an eighth do
/// not miss it.
constexpr double kShortestSkin = 0.02, kLongestSkin = 0.3, kSkinStep = 1.125;

double of_device(const Method& processor) {
  if (processor.backend != Backend::cuda) return 1;
  return gpu_prices::kMultiprocessors / std::max(1, multiprocessors_of(processor));
}

/// Returns the fraction of steps at which something is built: an atom that moves in a straight line has moved by half a
/// skin after the inverse of this number of steps.
double builds_per_step(const Method& method, const Workload& work) {
  if (!has_skin(method) || method.skin <= 0) return 1;
  return std::min(1.0, 2 * work.fastest_move / method.skin);
}

}  // namespace

StepCost::StepCost(const System& system, const RunSettings& config, const Method& processor)
    : system_(system), config_(config), scale_(of_device(processor)) {}

double StepCost::of(const Method& method, const Workload& work) const {
  constexpr double kMicro = 1e-3;  // microseconds per nanosecond
  const StepPrices prices = record_of(method).prices({system_, config_, method});
  if (!needs_cutoff(method.neighbor))
    return prices.step + kMicro * scale_ * work.atoms * (prices.atom + 0.5 * prices.pair * work.atoms);
  const double ratio = 1 + (has_skin(method) ? method.skin : 0) / system_.model.cutoff();  // list cutoff : cutoff
  const double pairs = work.pairs * ratio * ratio * ratio;
  const double kept = prices.step + kMicro * scale_ * (prices.atom * work.atoms + prices.pair * pairs);
  const double built = prices.build + kMicro * scale_ * (prices.build_atom * work.atoms + prices.build_pair * pairs);
  return kept + builds_per_step(method, work) * built;
}

Method StepCost::with_cheapest_skin(Method method, const Workload& work) const {
  if (config_.skin || !has_skin(method)) return method;
  const double cutoff = system_.model.cutoff();
  Method tried = method;
  double least = std::numeric_limits<double>::infinity();
  for (double share = kShortestSkin; share <= kLongestSkin; share *= kSkinStep) {
    tried.skin = share * cutoff;
    const double cost = of(tried, work);
    if (cost >= least) continue;
    least = cost;
    method.skin = tried.skin;
  }
  return method;
}

Method with_fitting_skin(Method method, const System& system, const RunSettings& config) {
  if (config.skin || !has_skin(method)) return method;
  return StepCost(system, config, method).with_cheapest_skin(method, workload_at_start(system, config, method.cpu));
}

}  // namespace dropmd
