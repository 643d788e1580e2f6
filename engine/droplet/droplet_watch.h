#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/run/droplet_rows.h"
#include "core/run/droplet_state.h"
#include "core/run/run_settings.h"
#include "engine/droplet/clusters.h"
#include "engine/droplet/droplet_profile.h"
#include "engine/droplet/molecule_table.h"

namespace dropmd {

/// Follows the droplet of a run from one labelled step to the next, and tells which molecules leave and join it.
///
/// A molecule at the edge must not come and go a hundred times. A member therefore leaves only when its cluster is not
/// the droplet and is farther than two link distances from every molecule of the droplet; a molecule joins when it
/// belongs to the droplet's cluster. Between the two distances it stays what it was. All sums are in the order of the
/// atoms, so rows do not depend on threads.
class DropletWatch {
 public:
  /// system: must outlive this object. settings: with [droplet]. from: what an earlier part of the run passed on;
  /// nullopt: the first labels define the droplet's members, without events. Throws std::invalid_argument for a profile
  /// of other molecules.
  DropletWatch(const System& system, const IntegrationSettings& settings, const std::optional<DropletState>& from);

  /// The links of the clusters that it follows.
  const ClusterLinks& links() const { return links_; }

  /// What the labels of a step tell.
  struct Report {
    DropletRow row;
    std::vector<DropletEvent> events;
    std::vector<ProfileRow> profile;
    /// Whether most of the droplet's molecules were not its members before: another cluster has become the largest.
    bool is_other_droplet = false;
  };
  /// Evaluates the clusters of the system's atoms at the positions of a step, which must be the same in all calls for
  /// that step. labels: of links(); empty: they are determined here. Events are in the order of their molecules' ids,
  /// first those of molecules that left.
  Report look(std::int64_t step, double time, const Particles& particles, std::span<const std::uint32_t> labels = {});

  /// What is to leave the run at a step, and its events.
  struct Removal {
    std::vector<std::uint32_t> atoms;  ///< ids
    std::vector<DropletEvent> events;
  };
  /// Returns, whole, the clusters whose centre is farther from the droplet's centre than the droplet's radius plus the
  /// distance of the settings. Members of the droplet among them leave it first.
  Removal remove(std::int64_t step, double time, const Particles& particles);

  /// Whether there were labels, in this part of the run or in an earlier one.
  bool knows_members() const { return knows_members_; }
  /// Returns Particles::groups by the last labels.
  std::vector<std::uint8_t> groups() const;

  /// Whether a single molecule is left in the system, and its atoms cannot move relative to each other.
  bool has_dried_up() const {
    constexpr std::uint32_t kRigid = 6;  // degrees of freedom
    return n_dof_.size() == 1 && n_dof_.front() <= kRigid;
  }

  /// To be called when the system has other atoms or molecules. A molecule that has become another one is a member if
  /// the first of its atoms that existed before was one. Profiles begin anew if there are molecules of other names.
  void system_changed();

  /// What later parts of the run need; nullopt before the first labels.
  std::optional<DropletState> state() const;

  /// The names of molecules in profiles.
  const std::vector<std::string>& names() const { return names_; }

 private:
  /// Clusters of a step, with what is known of them.
  struct Census {
    Clusters clusters;
    std::vector<Vec3<double>> molecule_centre;  ///< [n_molecules]
    ClusterMeasure droplet;
  };

  void take_molecules();
  std::vector<char> members_of(const MoleculeTable& next) const;
  void drop_molecules();
  DropletRow row(std::int64_t step, double time, const Census& census, const Particles& particles) const;
  void add_to_profile(const Census& census, const Particles& particles);
  std::vector<char> near_droplet(const Clusters& clusters, const std::vector<char>& of_interest,
                                 const Particles& particles) const;
  const Census& census_at(std::int64_t step, const Particles& particles, std::span<const std::uint32_t> labels);
  void leave(const Clusters& clusters, const std::vector<char>& has_left, const Particles& particles,
             std::vector<DropletEvent>& events);
  DropletEvent event(const std::vector<std::uint32_t>& molecules, const Particles& particles) const;

  const System& system_;
  DropletSettings settings_;
  std::string applies_to_;
  RemoveMomentum momenta_;  ///< of the droplet that do not count towards its temperature
  MoleculeTable molecules_;
  std::vector<std::uint32_t> ids_;     ///< of its atoms; empty if they are 1 to n_atoms, as before anything has left
  std::uint32_t first_unused_id_ = 0;  ///< at that time
  std::shared_ptr<const MolecularModel> model_;  ///< likewise; another one after a molecule has become another
  ClusterLinks links_;
  std::vector<std::uint32_t> n_dof_;  ///< [n_molecules] degrees of freedom
  std::optional<DropletState> from_;  ///< until the members are known by their present indices
  bool knows_members_ = false;        ///< whether there were labels
  std::vector<char> member_;          ///< [n_molecules] whether it counts as the droplet's
  std::vector<std::string> names_;
  DropletProfile profile_;
  std::int64_t labelled_step_ = -1;  ///< step of census_; -1: there is none
  Census census_;
};

}  // namespace dropmd
