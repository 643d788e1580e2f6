#pragma once

#include <algorithm>
#include <cstdint>
#include <utility>
#include <variant>
#include <vector>

#include "engine/actions/action.h"
#include "engine/model/system.h"

namespace dropmd {

/// The actions of a run, in the order in which those of one stage take place.
class ActionList {
 public:
  explicit ActionList(std::vector<Action> actions) : actions_(std::move(actions)) {}

  /// Calls act(action) with each action that is due at the step, of its own type.
  template <class Act>
  void for_each_due(std::int64_t step, const Act& act) const {
    for (const Action& any : actions_)
      std::visit(
          [&](const auto& action) {
            if (action.due(step)) act(action);
          },
          any);
  }
  /// The same at one stage.
  template <class Act>
  void for_each_due(StepStage stage, std::int64_t step, const Act& act) const {
    for_each_due(step, [&](const auto& action) {
      if (action.kStage == stage) act(action);
    });
  }

  /// The first step after this one at which an action is due that satisfies suits(action); kNeverDue without one.
  template <class Suits>
  std::int64_t next_due(std::int64_t after, const Suits& suits) const {
    std::int64_t next = kNeverDue;
    for (const Action& any : actions_)
      if (suits(any))
        next = std::min(next, std::visit([&](const auto& action) { return action.next_due(after); }, any));
    return next;
  }

  /// The action of a type; null where the run has none.
  template <class One>
  const One* find() const {
    for (const Action& any : actions_)
      if (const One* one = std::get_if<One>(&any)) return one;
    return nullptr;
  }

 private:
  std::vector<Action> actions_;
};

/// What a run does at intervals: the one place that says so. sorting: when a GPU sorts the atoms; it outlives the list;
/// null where they are not sorted.
ActionList actions_of(const IntegrationSettings& settings, const System& system,
                      const ReorderInterval* sorting = nullptr);

}  // namespace dropmd
