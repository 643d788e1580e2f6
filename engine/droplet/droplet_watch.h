#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "core/run/droplet_rows.h"
#include "core/run/droplet_settings.h"
#include "engine/droplet/clusters.h"
#include "engine/droplet/molecule_table.h"

namespace dropmd {

/// Follows the droplet of a run from label to label, and tells which molecules leave and join it.
///
/// A molecule at the edge must not come and go a hundred times: a member leaves when its cluster is not the droplet and
/// farther than two link distances from every molecule of that, and a molecule joins when it belongs to the droplet's
/// cluster. Between both distances it stays what it was. Everything is summed in the order of the atoms, so that rows
/// do not depend on threads.
class DropletWatch {
 public:
  /// system: must outlive this object. from: what an earlier part of the run passed on; nullopt: the members of the
  /// first labels are the droplet's, without events.
  DropletWatch(const System& system, const DropletSettings& settings, std::optional<DropletState> from = std::nullopt);

  /// What labels at a step tell.
  struct Report {
    DropletRow row;
    std::vector<DropletEvent> events;
  };
  /// Labels the clusters of the system's atoms at the positions of a step, which are the same in all calls for it.
  /// Events are in the order of their molecules' ids, first those that left.
  Report look(std::int64_t step, double time, const Particles& particles);

  /// What is to leave the run at a step, and its events.
  struct Removal {
    std::vector<std::uint32_t> atoms;  ///< ids
    std::vector<DropletEvent> events;
  };
  /// Returns the clusters whose centre is farther than the droplet's radius and the distance of the settings from the
  /// droplet's centre, whole. Members of the droplet among them leave it first.
  Removal remove(std::int64_t step, double time, const Particles& particles);

  /// To be called when the system has other atoms.
  void system_changed();

  /// What later parts of the run need; nullopt before the first labels.
  const std::optional<DropletState>& state() const { return state_; }

 private:
  DropletRow row(std::int64_t step, double time, const Clusters& clusters, const Particles& particles) const;
  std::vector<char> members_before(const Clusters& clusters) const;
  std::vector<char> near_droplet(const Clusters& clusters, const std::vector<char>& of_interest,
                                 const Particles& particles) const;
  const Clusters& clusters_at(std::int64_t step, const Particles& particles);
  void leave(const Clusters& clusters, const std::vector<char>& has_left, const Particles& particles,
             std::vector<char>& member, std::vector<DropletEvent>& events) const;
  void keep(const std::vector<char>& member);
  DropletEvent event(const std::vector<std::uint32_t>& molecules, const Particles& particles) const;

  const System& system_;
  double link_distance_;
  std::optional<double> surface_tension_, remove_beyond_;
  MoleculeTable molecules_;
  std::vector<std::uint32_t> n_dof_;                  ///< [n_molecules] degrees of freedom
  std::vector<std::vector<std::uint32_t>> atoms_of_;  ///< [n_molecules] their atoms
  std::optional<DropletState> state_;
  std::int64_t labelled_step_ = -1;  ///< step of clusters_; -1: there are none
  Clusters clusters_;
};

}  // namespace dropmd
