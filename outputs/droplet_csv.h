#pragma once

#include <span>
#include <string>

#include "core/run/droplet_rows.h"
#include "outputs/run_table.h"

namespace dropmd {

/// droplet.csv: the droplet of a run at each labelling of clusters, with 17 significant digits; what is not known is
/// nan.
class DropletCsv : public RunTable {
 public:
  DropletCsv(FileWriter writer, const Units& units);
  void append(const DropletRow& row);
};

/// events.csv: the molecules that left the droplet of a run and joined it.
class EventsCsv : public RunTable {
 public:
  EventsCsv(FileWriter writer, const Units& units);
  void append(const DropletEvent& event);
};

/// profile.csv: shells about the centre of a run's droplet, as means since the previous rows.
class ProfileCsv : public RunTable {
 public:
  /// names: those of the molecules, with one column of densities each.
  ProfileCsv(FileWriter writer, const Units& units, std::span<const std::string> names);
  void append(const ProfileRow& row);
};

}  // namespace dropmd
