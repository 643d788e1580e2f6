#pragma once

#include <optional>

#include "core/timings.h"
#include "engine/droplet/droplet_watch.h"
#include "engine/observer.h"
#include "engine/population/population_change.h"
#include "outputs/droplet_csv.h"

namespace dropmd {

/// Labels the clusters of a run at intervals and writes droplet.csv and events.csv.
class DropletObserver final : public Observer {
 public:
  /// timings must outlive this object.
  DropletObserver(DropletWatch watch, std::int64_t every, DropletCsv rows, EventsCsv events, Timings& timings)
      : watch_(std::move(watch)),
        every_(every),
        rows_(std::move(rows)),
        events_(std::move(events)),
        timings_(timings) {}

  std::int64_t every() const override { return every_; }
  bool wants_state(std::int64_t step) const override { return step % every_ == 0; }
  bool wants_energies(std::int64_t) const override { return false; }
  void observe(const Snapshot& s) override {
    if (!wants_state(s.step)) return;
    const Timings::Scope scope(timings_, "clusters");
    const DropletWatch::Report report = watch_.look(s.step, s.time, s.particles);
    rows_.append(report.row);
    for (const DropletEvent& event : report.events) events_.append(event);
  }
  /// Returns what is to leave the run at a step, and writes its events.
  PopulationChange removal(std::int64_t step, double time, const Particles& particles) {
    const Timings::Scope scope(timings_, "clusters");
    DropletWatch::Removal removal = watch_.remove(step, time, particles);
    for (const DropletEvent& event : removal.events) events_.append(event);
    return {.removed = std::move(removal.atoms)};
  }
  void system_changed() override { watch_.system_changed(); }
  void finish(const Snapshot&) override {
    rows_.close();
    events_.close();
  }

  FileMark rows_mark() { return rows_.synced_mark(); }
  FileMark events_mark() { return events_.synced_mark(); }
  const std::optional<DropletState>& state() const { return watch_.state(); }

 private:
  DropletWatch watch_;
  std::int64_t every_;
  DropletCsv rows_;
  EventsCsv events_;
  Timings& timings_;
};

}  // namespace dropmd
