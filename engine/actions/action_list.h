#pragma once

#include <algorithm>
#include <cstdint>
#include <utility>
#include <variant>
#include <vector>

#include "engine/actions/action.h"
#include "engine/model/system.h"

namespace dropmd {

/// The actions of a run; those of one stage are performed in this order.
class ActionList {
 public:
  explicit ActionList(std::vector<Action> actions) : actions_(std::move(actions)) {}

  /// Calls act(action), with the action's own type, for each action that is due at the step.
  template <class Act>
  void for_each_due(std::int64_t step, const Act& act) const {
    for (const Action& any : actions_)
      std::visit(
          [&](const auto& action) {
            if (action.due(step)) act(action);
          },
          any);
  }
  /// The same for the actions of one stage.
  template <class Act>
  void for_each_due(StepStage stage, std::int64_t step, const Act& act) const {
    for_each_due(step, [&](const auto& action) {
      if (action.kStage == stage) act(action);
    });
  }

  /// Returns the first step after this one at which an action with suits(action) is due; kNeverDue: there is none.
  template <class Suits>
  std::int64_t next_due(std::int64_t after, const Suits& suits) const {
    std::int64_t next = kNeverDue;
    for (const Action& any : actions_)
      if (suits(any))
        next = std::min(next, std::visit([&](const auto& action) { return action.next_due(after); }, any));
    return next;
  }

  /// Returns the action of a type; null if the run has none.
  template <class One>
  const One* find() const {
    for (const Action& any : actions_)
      if (const One* one = std::get_if<One>(&any)) return one;
    return nullptr;
  }

 private:
  std::vector<Action> actions_;
};

/// Returns the actions of a run, which are defined only here. sorting: when a GPU reorders the atoms; must outlive the
/// list; null if atoms are not reordered.
ActionList actions_of(const IntegrationSettings& settings, const System& system,
                      const ReorderInterval* sorting = nullptr);

}  // namespace dropmd
