#pragma once

#include <gtest/gtest.h>

#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "engine/step_loop.h"
#include "tests/support/device_runs.h"
#include "tests/support/state_of.h"

/// Runs, two of which must have the same bytes.
namespace dropmd {

/// What observers see of the steps of a run, and a state of it.
struct Seen {
  RunEnd end;
  std::int64_t steps;
  PairSums pairs;  ///< of the last step
  std::vector<EnergyRow> rows;
  std::vector<Vec3<double>> position, velocity, force;
  std::optional<RunState> state;  ///< of the step at which it was requested
};

/// Runs from a state, or from the start, and takes the state at step `state_at` (-1: at none). prepare(loop): is called
/// before the steps.
inline Seen seen_of(
    System system, const RunConfig& config, const Method& method, std::int64_t state_at = -1,
    const RunState* from = nullptr, const std::function<void(StepLoop&)>& prepare = [](StepLoop&) {}) {
  Timings timings;
  StepLoop loop(system, config, method, timings, nullptr, from);
  prepare(loop);
  Seen seen{};
  const std::int64_t every = 7 * system.outer.every;
  loop.add_observer(std::make_unique<StepObserver>(every, 0, [&](const Snapshot& s) {
    if (s.energies != nullptr && s.step % every == 0) seen.rows.push_back(*s.energies);
  }));
  if (state_at >= 0) loop.add_observer(std::make_unique<StateOf>(state_at, [&] { seen.state.emplace(loop.state()); }));
  seen.end = loop.run(never_stop);
  seen.steps = loop.step();
  seen.pairs = loop.pairs();
  seen.position = system.particles.position;
  seen.velocity = system.particles.velocity;
  seen.force = loop.force();
  return seen;
}

/// Expects the same bytes. rest: may lack the rows of the first steps.
inline void expect_same(const Seen& rest, const Seen& whole) {
  EXPECT_EQ(rest.end, whole.end);
  EXPECT_EQ(rest.steps, whole.steps);
  EXPECT_EQ(rest.pairs.pairs_within_cutoff, whole.pairs.pairs_within_cutoff);
  EXPECT_TRUE(same_bytes(rest.position, whole.position));
  EXPECT_TRUE(same_bytes(rest.velocity, whole.velocity));
  EXPECT_TRUE(same_bytes(rest.force, whole.force));
  ASSERT_LE(rest.rows.size(), whole.rows.size());
  for (std::size_t k = 0; k < rest.rows.size(); ++k) {
    const EnergyRow &a = rest.rows[k], &b = whole.rows[whole.rows.size() - rest.rows.size() + k];
    EXPECT_EQ(a.step, b.step);
    EXPECT_EQ(a.energies.total(), b.energies.total()) << a.step;
    EXPECT_EQ(a.temperature, b.temperature) << a.step;
    EXPECT_EQ(a.ledger.booked, b.ledger.booked) << a.step;
  }
}

}  // namespace dropmd
