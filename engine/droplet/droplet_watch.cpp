#include "engine/droplet/droplet_watch.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <utility>

#include "core/rayleigh_limit.h"
#include "core/topology/present_atoms.h"
#include "engine/centre.h"
#include "engine/droplet/atom_groups.h"
#include "engine/molecules/motion_plans.h"
#include "engine/thermometer.h"

namespace dropmd {

namespace {

/// A molecule of more net charge than this is an ion, e.
constexpr double kIonCharge = 0.5;

/// Returns the degrees of freedom of each molecule, not reduced by momenta that are removed from all of them.
std::vector<std::uint32_t> degrees_of(const System& system, const MoleculeTable& table) {
  std::vector<std::uint32_t> n_dof(table.size());
  const Particles& p = system.particles;
  for (std::size_t i = 0; i < p.size(); ++i)
    if (p.mass[i] > 0) n_dof[table.of_atom[i]] += 3;
  for (const auto& pair : constrained_pairs(system)) --n_dof[table.of_atom[pair[0]]];
  return n_dof;
}

void date(std::int64_t step, double time, std::vector<DropletEvent>& events) {
  for (DropletEvent& event : events) {
    event.step = step;
    event.time = time;
  }
}

double kinetic_energy_of(const Particles& p, std::size_t atom, const Units& units) {
  return 0.5 * p.mass[atom] * dot(p.velocity[atom], p.velocity[atom]) / units.acceleration;
}

/// Returns the momenta of the droplet that do not count towards its temperature: that of its centre, and the angular
/// momentum if it is removed during the run.
RemoveMomentum momenta_outside(const IntegrationSettings& settings) {
  const bool removes = settings.recenter == Recenter::droplet && settings.recenter_every > 0;
  return removes && removes_angular(settings.remove_momentum) ? RemoveMomentum::both : RemoveMomentum::linear;
}

/// Kinetic energy and degrees of freedom of some molecules.
struct Motion {
  double kinetic = 0, mass = 0;
  Vec3<double> momentum{};
  std::size_t n_dof = 0;

  /// Returns the temperature without the motion of the centre. removed: degrees of freedom that do not count.
  double temperature_inside(const Units& units, std::size_t removed) const {
    if (n_dof <= removed) return kUnknown;
    return temperature_of(kinetic - 0.5 * dot(momentum, momentum) / (mass * units.acceleration), n_dof - removed,
                          units);
  }
  double temperature(const Units& units) const { return n_dof == 0 ? kUnknown : temperature_of(kinetic, n_dof, units); }
};

}  // namespace

DropletWatch::DropletWatch(const System& system, const IntegrationSettings& settings,
                           const std::optional<DropletState>& from)
    : system_(system),
      settings_(settings.droplet.value()),
      applies_to_(settings.applies_to),
      momenta_(momenta_outside(settings)),
      from_(from),
      names_(names_of_molecules(system)),
      profile_(names_, system.units) {
  if (from_ && settings_.profile_every > 0) profile_.set(from_->profile);
  system_changed();
}

void DropletWatch::take_molecules() {
  MoleculeTable next = molecules_of(system_);
  if (from_) {
    member_ = are_members(next, *from_);
    knows_members_ = true;
    from_.reset();
  } else {
    member_ = members_of(next);
  }
  molecules_ = std::move(next);
  n_dof_ = degrees_of(system_, molecules_);
  if (std::vector<std::string> names = names_of_molecules(system_); names != names_) {
    names_ = std::move(names);
    profile_ = DropletProfile(names_, system_.units);
  }
}

/// Returns which molecules of a table of present atoms are members, judged by what their atoms were before.
std::vector<char> DropletWatch::members_of(const MoleculeTable& next) const {
  std::vector<char> member(next.size());
  if (!knows_members_) return member;
  constexpr std::uint32_t kNew = 0xFFFFFFFF;
  std::vector<std::uint32_t> molecule_before(first_unused_id_, kNew);  // by id
  for (std::size_t i = 0; i < molecules_.of_atom.size(); ++i)
    molecule_before[ids_.empty() ? i + 1 : ids_[i]] = molecules_.of_atom[i];
  for (std::size_t k = 0; k < member.size(); ++k)
    for (const std::uint32_t i : next.atoms_of(k)) {
      const std::uint32_t id = system_.particles.id_of(i);
      if (id >= first_unused_id_ || molecule_before[id] == kNew) continue;
      member[k] = member_[molecule_before[id]];
      break;
    }
  return member;
}

/// Removes from the table the molecules that have left, which is faster than making a new table.
void DropletWatch::drop_molecules() {
  const std::vector<std::uint32_t> index = PresentAtoms(system_.particles).of_all(ids_);
  std::size_t n = 0;
  for (std::size_t k = 0; k < molecules_.size(); ++k) {
    if (index[molecules_.first_atom[k]] == PresentAtoms::kAbsent) continue;
    n_dof_[n] = n_dof_[k];
    member_[n++] = member_[k];
  }
  n_dof_.resize(n);
  member_.resize(n);
  molecules_ = remaining(std::move(molecules_), index);
}

void DropletWatch::system_changed() {
  const Particles& p = system_.particles;
  const bool only_left = !ids_.empty() && p.first_unused_id() == first_unused_id_ && system_.molecules == model_;
  if (only_left)
    drop_molecules();
  else
    take_molecules();
  first_unused_id_ = p.first_unused_id();
  model_ = system_.molecules;
  ids_ = p.id;
  labelled_step_ = -1;
  links_ = cluster_links(molecules_, link_distance(settings_, system_.units.system));
}

std::optional<DropletState> DropletWatch::state() const {
  if (!knows_members_) return std::nullopt;
  DropletState state{.members = {}, .profile = profile_.numbers()};
  for (std::size_t k = 0; k < member_.size(); ++k)
    if (member_[k] != 0) state.members.push_back(molecules_.id[k]);
  std::sort(state.members.begin(), state.members.end());  // molecules that have become others may have any order
  return state;
}

std::vector<std::uint8_t> DropletWatch::groups() const { return atom_groups(molecules_, member_, applies_to_); }

DropletRow DropletWatch::row(std::int64_t step, double time, const Census& census, const Particles& p) const {
  const Clusters& clusters = census.clusters;
  const ClusterMeasure& droplet = census.droplet;
  Motion inside, outside;
  std::size_t n_with_mass = 0;  // in the droplet
  for (std::size_t k = 0; k < molecules_.size(); ++k) (clusters.in_droplet(k) ? inside : outside).n_dof += n_dof_[k];
  for (std::size_t i = 0; i < p.size(); ++i) {
    const bool is_inside = clusters.in_droplet(molecules_.of_atom[i]);
    n_with_mass += is_inside && p.mass[i] > 0 ? 1 : 0;
    Motion& motion = is_inside ? inside : outside;
    motion.kinetic += kinetic_energy_of(p, i, system_.units);
    motion.momentum += p.mass[i] * p.velocity[i];
    motion.mass += p.mass[i];
  }
  DropletRow row{.step = step,
                 .time = time,
                 .clusters = clusters.size.size(),
                 .molecules = droplet.molecules,
                 .atoms = droplet.atoms,
                 .charge = droplet.charge,
                 .mass = droplet.mass,
                 .centre = droplet.centre,
                 .radius = droplet.radius,
                 .temperature = inside.temperature_inside(system_.units, removed_degrees(n_with_mass, momenta_)),
                 .vapour_molecules = molecules_.size() - droplet.molecules,
                 .vapour_temperature = outside.temperature(system_.units),
                 .rayleigh_share = kUnknown,
                 .gyration = droplet.gyration};
  if (settings_.surface_tension && droplet.radius > 0)
    row.rayleigh_share = std::abs(droplet.charge) / rayleigh_limit(droplet.radius, *settings_.surface_tension);
  return row;
}

void DropletWatch::add_to_profile(const Census& census, const Particles& p) {
  Vec3<double> momentum{};
  double mass = 0;
  for (std::size_t i = 0; i < p.size(); ++i) {
    if (!census.clusters.in_droplet(molecules_.of_atom[i])) continue;
    momentum += p.mass[i] * p.velocity[i];
    mass += p.mass[i];
  }
  const Vec3<double> drift = mass > 0 ? (1 / mass) * momentum : Vec3<double>{};
  std::vector<double> kinetic(molecules_.size());
  for (std::size_t i = 0; i < p.size(); ++i) {
    const Vec3<double> v = p.velocity[i] - drift;
    kinetic[molecules_.of_atom[i]] += 0.5 * p.mass[i] * dot(v, v) / system_.units.acceleration;
  }
  profile_.add({molecules_, census.molecule_centre, kinetic, n_dof_, p, census.droplet.centre, census.droplet.radius});
}

/// Returns which of the clusters of interest have a site within two link distances of the droplet. Only those sites of
/// the droplet are compared that are far enough from its centre to be that near to one of theirs.
std::vector<char> DropletWatch::near_droplet(const Clusters& clusters, const std::vector<char>& of_interest,
                                             const Particles& p) const {
  std::vector<char> near(clusters.size.size());
  const double farthest = 2 * links_.distance;
  const Vec3<double> centre = census_.droplet.centre;
  const auto distance2 = [&](std::uint32_t i) { return dot(p.position[i] - centre, p.position[i] - centre); };
  std::vector<std::uint32_t> sites;
  double nearest2 = std::numeric_limits<double>::infinity();
  for (const std::uint32_t i : molecules_.site) {
    if (of_interest[clusters.number[molecules_.of_atom[i]]] == 0) continue;
    sites.push_back(i);
    nearest2 = std::min(nearest2, distance2(i));
  }
  if (sites.empty()) return near;
  constexpr double kRounding = 1 - 1e-9;
  const double within = std::max(0.0, kRounding * (std::sqrt(nearest2) - farthest));
  std::vector<Vec3<double>> outer;  // sites of the droplet
  for (const std::uint32_t j : molecules_.site)
    if (clusters.in_droplet(molecules_.of_atom[j]) && distance2(j) >= within * within) outer.push_back(p.position[j]);
  for (const std::uint32_t i : sites) {
    const Vec3<double> x = p.position[i];
    char& is_near = near[clusters.number[molecules_.of_atom[i]]];
    is_near = is_near != 0 || std::any_of(outer.begin(), outer.end(), [&](const Vec3<double>& y) {
                return dot(x - y, x - y) < farthest * farthest;
              });
  }
  return near;
}

DropletEvent DropletWatch::event(const std::vector<std::uint32_t>& molecules, const Particles& p) const {
  DropletEvent event;
  event.molecules = molecules.size();
  std::uint32_t first = molecules.front();
  double mass = 0;
  Vec3<double> momentum{};
  for (const std::uint32_t k : molecules) {
    if (std::abs(molecules_.charge[k]) > std::max(kIonCharge, std::abs(molecules_.charge[first]))) first = k;
    event.charge += molecules_.charge[k];
    mass += molecules_.mass[k];
    for (const std::uint32_t i : molecules_.atoms_of(k)) {
      event.centre += p.mass[i] * p.position[i];
      momentum += p.mass[i] * p.velocity[i];
      event.kinetic += kinetic_energy_of(p, i, system_.units);
    }
  }
  event.centre = (1 / mass) * event.centre;
  event.velocity = (1 / mass) * momentum;
  event.molecule = molecules_.id[first];
  event.name = molecules_.name[first];
  event.kind =
      std::abs(molecules_.charge[first]) > kIonCharge ? DropletEventKind::ejected : DropletEventKind::evaporated;
  return event;
}

/// Removes from the droplet the members of clusters that have left it. has_left: [n_clusters].
void DropletWatch::leave(const Clusters& clusters, const std::vector<char>& has_left, const Particles& p,
                         std::vector<DropletEvent>& events) {
  std::map<std::uint32_t, std::vector<std::uint32_t>> leaving;  // by cluster
  for (std::uint32_t k = 0; k < member_.size(); ++k)
    if (member_[k] != 0 && has_left[clusters.number[k]] != 0) leaving[clusters.number[k]].push_back(k);
  for (const auto& [cluster, molecules] : leaving) {
    events.push_back(event(molecules, p));
    for (const std::uint32_t k : molecules) member_[k] = 0;
  }
  std::sort(events.begin(), events.end(),
            [](const DropletEvent& a, const DropletEvent& b) { return a.molecule < b.molecule; });
}

/// Labels a step once, both for what is written and for what is removed. The first labels define the droplet's members.
const DropletWatch::Census& DropletWatch::census_at(std::int64_t step, const Particles& p,
                                                    std::span<const std::uint32_t> labels) {
  if (std::exchange(labelled_step_, step) == step) return census_;
  census_.clusters = labels.empty() ? numbered_clusters(cluster_labels(p.position, links_)) : numbered_clusters(labels);
  census_.molecule_centre = molecule_centres(molecules_, p);
  census_.droplet = measure_cluster(molecules_, census_.clusters, 0, census_.molecule_centre, p);
  if (!std::exchange(knows_members_, true))
    for (std::size_t k = 0; k < member_.size(); ++k) member_[k] = census_.clusters.in_droplet(k) ? 1 : 0;
  return census_;
}

DropletWatch::Report DropletWatch::look(std::int64_t step, double time, const Particles& p,
                                        std::span<const std::uint32_t> labels) {
  const Census& census = census_at(step, p, labels);
  const Clusters& clusters = census.clusters;
  Report report{.row = row(step, time, census, p), .events = {}, .profile = {}};
  std::vector<char> has_left(clusters.size.size());
  for (std::size_t k = 0; k < member_.size(); ++k)
    if (member_[k] != 0 && !clusters.in_droplet(k)) has_left[clusters.number[k]] = 1;
  const std::vector<char> near = near_droplet(clusters, has_left, p);
  for (std::size_t c = 0; c < has_left.size(); ++c)
    if (near[c] != 0) has_left[c] = 0;
  leave(clusters, has_left, p, report.events);
  std::size_t n_joined = 0;
  for (std::uint32_t k = 0; k < member_.size(); ++k) {
    if (member_[k] != 0 || !clusters.in_droplet(k)) continue;
    ++n_joined;
    report.events.push_back(event({k}, p));
    report.events.back().kind = DropletEventKind::condensed;
    member_[k] = 1;
  }
  report.is_other_droplet = 2 * n_joined > report.row.molecules;
  date(step, time, report.events);
  if (settings_.profile_every > 0) {
    add_to_profile(census, p);
    if (step % settings_.profile_every == 0) report.profile = profile_.take(step);
  }
  return report;
}

DropletWatch::Removal DropletWatch::remove(std::int64_t step, double time, const Particles& p) {
  Removal removal;
  if (!settings_.remove_beyond) return removal;
  const Census& census = census_at(step, p, {});
  const Clusters& clusters = census.clusters;
  const std::vector<Vec3<double>> centre = cluster_centres(molecules_, clusters, census.molecule_centre);
  std::vector<char> is_far(clusters.size.size());
  for (std::size_t c = 1; c < is_far.size(); ++c)
    is_far[c] = norm(centre[c] - census.droplet.centre) > census.droplet.radius + *settings_.remove_beyond ? 1 : 0;
  leave(clusters, is_far, p, removal.events);
  std::map<std::uint32_t, std::vector<std::uint32_t>> removed;  // by cluster
  for (std::uint32_t k = 0; k < molecules_.size(); ++k)
    if (is_far[clusters.number[k]] != 0) removed[clusters.number[k]].push_back(k);
  for (const auto& [cluster, molecules] : removed) {
    removal.events.push_back(event(molecules, p));
    removal.events.back().kind = DropletEventKind::removed;
    for (const std::uint32_t k : molecules)
      for (const std::uint32_t i : molecules_.atoms_of(k)) removal.atoms.push_back(p.id_of(i));
  }
  date(step, time, removal.events);
  return removal;
}

}  // namespace dropmd
