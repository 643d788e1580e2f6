#pragma once

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "engine/methods/make_method_source.h"
#include "engine/methods/method.h"
#include "engine/methods/tuner.h"

/// Runs with invented times for tests of the tuner, without a clock.
namespace dropmd {

/// A run as the tuner sees it.
struct World {
  std::function<double(const MethodChoice&, std::int64_t step)> seconds;  ///< of a step
  std::function<PairSums(std::int64_t step)> pairs;
  double switch_seconds = 0.02;
  std::function<bool(const MethodChoice&)> refused = [](const MethodChoice&) { return false; };

  std::vector<MethodChoice> choices;
  std::vector<std::string> log;
  double total = 0;  ///< seconds of the run
  std::int64_t pairs_asked = 0;

  void run(const TunerTask& task, const TunerPolicy& policy) {
    Tuner tuner(task, policy, [&](std::int64_t, const std::string& text, const std::string& details) {
      log.push_back(details.empty() ? text : text + "; " + details);
    });
    choices = {tuner.first()};
    StepReport report;
    for (std::int64_t step = 0; step < task.steps;) {
      report.step = step;
      const MethodRequest request = tuner.next(report, [&] {
        ++pairs_asked;
        return StepSums{pairs(step)};
      });
      ASSERT_GT(request.until, step);
      ASSERT_EQ(request.choice.step, step);
      report = {};
      MethodChoice as_before = choices.back();
      as_before.step = step;
      if (refused(request.choice)) {
        report.refused = true;
        continue;
      }
      if (!(request.choice == as_before)) {
        choices.push_back(request.choice);
        report.switch_seconds = switch_seconds;
        total += switch_seconds;
      }
      for (; step < std::min(request.until, task.steps); ++step) {
        report.seconds += seconds(request.choice, step);
        ++report.steps;
      }
      total += report.seconds;
    }
  }

  double total_of(const MethodChoice& choice, std::int64_t steps) const {
    double sum = 0;
    for (std::int64_t step = 0; step < steps; ++step) sum += seconds(choice, step);
    return sum;
  }
  bool tried(NeighborMethod method) const {
    return std::any_of(choices.begin(), choices.end(), [&](const auto& c) { return c.neighbor == method; });
  }
};

inline PairSums sums(std::uint64_t within, std::uint64_t candidate_pairs) {
  return {.vdw = 0, .coulomb = 0, .pairs_within_cutoff = within, .candidate_pairs = candidate_pairs};
}

/// The cost of a list of 10,000 atoms. Pairs beyond the cutoff increase with the skin, and a wider list is rebuilt more
/// rarely, so that the lowest cost is at the skin `best`.
inline double list_price(double skin, double best) {
  return 1e-3 * (std::pow(1 + skin / 12, 3) + 3 * best * best / (12 * skin));
}

inline World liquid(double best_skin) {
  World world;
  world.seconds = [=](const MethodChoice& choice, std::int64_t) {
    if (choice.neighbor == NeighborMethod::pair_list) return list_price(choice.skin, best_skin);
    return choice.neighbor == NeighborMethod::cells ? 2.5e-3 : 8e-3;
  };
  world.pairs = [](std::int64_t) { return sums(2'000'000, 4'000'000); };
  return world;
}

inline TunerTask task_of(std::int64_t steps, std::size_t n_atoms = 10'000) {
  return {.steps = steps,
          .n_atoms = n_atoms,
          .methods = {{NeighborMethod::pair_list, 0.5}, {NeighborMethod::all_pairs, 0}, {NeighborMethod::cells, 0}},
          .shortest_skin = 0.06,
          .longest_skin = 6,
          .length_unit = "A"};
}

inline TunerTask only_methods(TunerTask task) {
  task.shortest_skin = task.longest_skin = 0;
  return task;
}

inline const TunerPolicy kOnCpu = tuner_policy(Backend::cpu), kOnGpu = tuner_policy(Backend::cuda);

/// Cells with edges of a half, a whole and a third of the list cutoff; the rule chooses the half.
inline TunerTask with_edges(TunerTask task) {
  task.cutoff = 12;
  task.methods = {{NeighborMethod::pair_list, 0.5},
                  {NeighborMethod::cells, 0, 0.5},
                  {NeighborMethod::cells, 0, 1},
                  {NeighborMethod::cells, 0, 1.0 / 3}};
  return task;
}

/// Lists in three forms.
inline TunerTask with_forms(TunerTask task) {
  task.methods = {{NeighborMethod::pair_list, 0.5, 0, ListForm::persistent},
                  {NeighborMethod::pair_list, 0.5, 0, ListForm::clusters},
                  {NeighborMethod::pair_list, 0.5, 0, ListForm::two_atom},
                  {NeighborMethod::all_pairs, 0}};
  return task;
}

}  // namespace dropmd
