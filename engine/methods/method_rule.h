#pragma once

#include <functional>
#include <string>
#include <vector>

#include "engine/methods/method_source.h"
#include "engine/methods/step_cost.h"
#include "inputs/run_file/run_config.h"

namespace dropmd {

/// Returns the run's processor, method and skin at its start, with `auto` resolved by the cost model. No clock is used,
/// so the same input gives the same choice. Several GPUs of this process give way to the first of them, with a note for
/// the user, where they are not useful: results do not depend on their number. Throws like choose_method().
Method choose_by_rule(const RunConfig& config, const System& system);

/// Chooses method and skin, if they are open, by the cost model: at the start, and at steps that are fixed in advance,
/// from the state there. Runs of the same input, and runs that were stopped and resumed, therefore make the same
/// choices.
class MethodRule final : public MethodSource {
 public:
  /// Whether method or skin of a run on that processor are open.
  static bool is_needed(const RunConfig& config, const Method& processor, const System& system);

  /// start: the result of choose_by_rule(). system and config must outlive this object.
  MethodRule(const RunConfig& config, const Method& start, const System& system, MethodLog log);

  MethodChoice first() const override { return choice_of(start_, 0); }
  MethodRequest next(const StepReport& report, const std::function<StepSums()>& sums) override;
  bool takes_refusal() const override { return true; }
  bool needs_record() const override { return false; }

  /// Returns the next step after `step` at which it evaluates the droplet: 100, 1,000, then every 10,000, each number
  /// rounded up to an outer step.
  static std::int64_t look_after(std::int64_t step, const OuterSteps& outer = {});

 private:
  void advise(const StepReport& report);

  const RunConfig& config_;
  const System& system_;
  Method start_;
  std::vector<Method> methods_;  ///< which the run may use
  StepCost cost_;
  MethodLog log_;
  bool advised_ = false;
};

}  // namespace dropmd
