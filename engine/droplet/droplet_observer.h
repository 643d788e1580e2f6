#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <utility>
#include <vector>

#include "core/timings.h"
#include "engine/droplet/droplet_watch.h"
#include "engine/observer.h"
#include "engine/population/population_change.h"
#include "outputs/droplet_csv.h"

namespace dropmd {

/// The files in which a run describes its droplet.
struct DropletFiles {
  DropletCsv rows;
  EventsCsv events;
  std::optional<ProfileCsv> profile;
};

/// Labels the clusters of a run at intervals, and writes droplet.csv, events.csv and profile.csv, if it has them.
class DropletObserver final : public Observer {
 public:
  /// files: nullopt: only hooks receive the results. timings must outlive this object.
  DropletObserver(DropletWatch watch, std::int64_t every, std::optional<DropletFiles> files, Timings& timings)
      : watch_(std::move(watch)), every_(every), files_(std::move(files)), timings_(timings) {}

  std::int64_t every() const override { return every_; }
  bool wants_state(std::int64_t step) const override { return step % every_ == 0; }
  bool wants_energies(std::int64_t) const override { return false; }
  const ClusterLinks* wants_labels(std::int64_t step) const override {
    return wants_state(step) ? &watch_.links() : nullptr;
  }
  void observe(const Snapshot& s) override {
    if (!wants_state(s.step)) return;
    const Timings::Scope scope(timings_, "clusters");
    const DropletWatch::Report report = watch_.look(s.step, s.time, s.particles, s.labels);
    if (files_) files_->rows.append(report.row);
    on_row_(report.row);
    if (report.is_other_droplet) on_other_droplet_(s.step);
    for (const DropletEvent& event : report.events) append(event);
    if (files_ && files_->profile)
      for (const ProfileRow& row : report.profile) files_->profile->append(row);
  }
  /// Returns what is to leave the run at a step, and writes its events.
  PopulationChange removal(std::int64_t step, double time, const Particles& particles) {
    const Timings::Scope scope(timings_, "clusters");
    DropletWatch::Removal removal = watch_.remove(step, time, particles);
    for (const DropletEvent& event : removal.events) append(event);
    return {.removed = std::move(removal.atoms)};
  }
  /// Sets Particles::groups; returns whether they differ from before.
  bool regroup(Particles& particles) const {
    if (!watch_.knows_members()) return false;
    std::vector<std::uint8_t> groups = watch_.groups();
    const bool differ = groups != particles.groups;
    particles.groups = std::move(groups);
    return differ;
  }
  bool has_dried_up() const { return watch_.has_dried_up(); }
  void system_changed() override { watch_.system_changed(); }
  void finish(const Snapshot&) override {
    if (!files_) return;
    files_->rows.close();
    files_->events.close();
    if (files_->profile) files_->profile->close();
  }

  /// hook: receives each row.
  void on_row(std::function<void(const DropletRow&)> hook) { on_row_ = std::move(hook); }
  /// hook: receives each event, those of one step in the order of events.csv.
  void on_event(std::function<void(const DropletEvent&)> hook) { on_event_ = std::move(hook); }
  /// hook: receives each labelled step at which the droplet is another one than before.
  void on_other_droplet(std::function<void(std::int64_t step)> hook) { on_other_droplet_ = std::move(hook); }
  /// Returns how many events of each kind there were.
  const DropletEventCounts& event_counts() const { return n_events_; }

  /// The files, of an observer that has them.
  DropletFiles& files() { return files_.value(); }
  std::optional<DropletState> state() const { return watch_.state(); }

 private:
  void append(const DropletEvent& event) {
    if (files_) files_->events.append(event);
    on_event_(event);
    DropletEventCount& count = n_events_[static_cast<std::size_t>(event.kind)];
    ++count.events;
    count.molecules += event.molecules;
  }

  std::function<void(const DropletRow&)> on_row_ = [](const DropletRow&) {};
  std::function<void(const DropletEvent&)> on_event_ = [](const DropletEvent&) {};
  std::function<void(std::int64_t)> on_other_droplet_ = [](std::int64_t) {};
  DropletEventCounts n_events_{};
  DropletWatch watch_;
  std::int64_t every_;
  std::optional<DropletFiles> files_;
  Timings& timings_;
};

}  // namespace dropmd
