#include "engine/droplet/droplet_watch.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include "core/rayleigh_limit.h"
#include "engine/thermometer.h"

namespace dropmd {

namespace {

/// A molecule of more net charge than this is an ion, e.
constexpr double kIonCharge = 0.5;

/// Returns the degrees of freedom of each molecule, without what is removed from all.
std::vector<std::uint32_t> degrees_of(const System& system, const MoleculeTable& table) {
  std::vector<std::uint32_t> n_dof(table.size());
  const Particles& p = system.particles;
  for (std::size_t i = 0; i < p.size(); ++i)
    if (p.mass[i] > 0) n_dof[table.of_atom[i]] += 3;
  if (!system.topology) return n_dof;
  std::vector<std::uint32_t> index(p.first_unused_id());  // index of an atom by id, plus 1
  for (std::uint32_t i = 0; i < p.size(); ++i) index[p.id_of(i)] = i + 1;
  for (const Constraint& constraint : system.topology->constraints)
    if (const std::uint32_t at = index[constraint.atom[0] + 1]; at > 0) --n_dof[table.of_atom[at - 1]];
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

/// Kinetic energy and degrees of freedom of some molecules.
struct Motion {
  double kinetic = 0, mass = 0;
  Vec3<double> momentum{};
  std::size_t n_dof = 0;

  /// Without the motion of the centre.
  double temperature_inside(const Units& units) const {
    if (n_dof <= 3) return kUnknown;
    return temperature_of(kinetic - 0.5 * dot(momentum, momentum) / (mass * units.acceleration), n_dof - 3, units);
  }
  double temperature(const Units& units) const { return n_dof == 0 ? kUnknown : temperature_of(kinetic, n_dof, units); }
};

}  // namespace

DropletWatch::DropletWatch(const System& system, const DropletSettings& settings, std::optional<DropletState> from)
    : system_(system),
      link_distance_(settings.link_distance.value_or(usual_link_distance(system.units.system))),
      surface_tension_(settings.surface_tension),
      remove_beyond_(settings.remove_beyond),
      state_(std::move(from)) {
  system_changed();
}

void DropletWatch::system_changed() {
  labelled_step_ = -1;
  molecules_ = molecules_of(system_);
  n_dof_ = degrees_of(system_, molecules_);
  atoms_of_.assign(molecules_.size(), {});
  for (std::uint32_t i = 0; i < molecules_.of_atom.size(); ++i) atoms_of_[molecules_.of_atom[i]].push_back(i);
}

DropletRow DropletWatch::row(std::int64_t step, double time, const Clusters& clusters, const Particles& p) const {
  const ClusterMeasure droplet = measure_cluster(molecules_, clusters, 0, p);
  Motion inside, outside;
  for (std::size_t k = 0; k < molecules_.size(); ++k) (clusters.in_droplet(k) ? inside : outside).n_dof += n_dof_[k];
  for (std::size_t i = 0; i < p.size(); ++i) {
    Motion& motion = clusters.in_droplet(molecules_.of_atom[i]) ? inside : outside;
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
                 .temperature = inside.temperature_inside(system_.units),
                 .vapour_molecules = molecules_.size() - droplet.molecules,
                 .vapour_temperature = outside.temperature(system_.units)};
  if (surface_tension_ && droplet.radius > 0)
    row.rayleigh_share = std::abs(droplet.charge) / rayleigh_limit(droplet.radius, *surface_tension_);
  return row;
}

/// Returns which molecules counted as the droplet's before these labels: [n_molecules].
std::vector<char> DropletWatch::members_before(const Clusters& clusters) const {
  std::vector<char> member(molecules_.size());
  for (std::size_t k = 0; k < member.size(); ++k)
    member[k] = state_ ? std::binary_search(state_->members.begin(), state_->members.end(), molecules_.id[k])
                       : clusters.in_droplet(k);
  return member;
}

/// Returns which of the clusters of interest have a site within two link distances of the droplet. They are few, so
/// that their sites can be compared with all sites of the droplet.
std::vector<char> DropletWatch::near_droplet(const Clusters& clusters, const std::vector<char>& of_interest,
                                             const Particles& p) const {
  std::vector<char> near(clusters.size.size());
  std::vector<std::uint32_t> sites;
  for (const std::uint32_t i : molecules_.site)
    if (of_interest[clusters.number[molecules_.of_atom[i]]] != 0) sites.push_back(i);
  if (sites.empty()) return near;
  const double farthest2 = 4 * link_distance_ * link_distance_;
  for (const std::uint32_t j : molecules_.site) {
    if (!clusters.in_droplet(molecules_.of_atom[j])) continue;
    for (const std::uint32_t i : sites) {
      const Vec3<double> d = p.position[i] - p.position[j];
      if (dot(d, d) < farthest2) near[clusters.number[molecules_.of_atom[i]]] = 1;
    }
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
    for (const std::uint32_t i : atoms_of_[k]) {
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

/// Moves members of clusters that have left out of the droplet. has_left: [n_clusters].
void DropletWatch::leave(const Clusters& clusters, const std::vector<char>& has_left, const Particles& p,
                         std::vector<char>& member, std::vector<DropletEvent>& events) const {
  std::map<std::uint32_t, std::vector<std::uint32_t>> leaving;  // by cluster
  for (std::uint32_t k = 0; k < member.size(); ++k)
    if (member[k] != 0 && has_left[clusters.number[k]] != 0) leaving[clusters.number[k]].push_back(k);
  for (const auto& [cluster, molecules] : leaving) {
    events.push_back(event(molecules, p));
    for (const std::uint32_t k : molecules) member[k] = 0;
  }
  std::sort(events.begin(), events.end(),
            [](const DropletEvent& a, const DropletEvent& b) { return a.molecule < b.molecule; });
}

void DropletWatch::keep(const std::vector<char>& member) {
  state_.emplace();
  for (std::size_t k = 0; k < member.size(); ++k)
    if (member[k] != 0) state_->members.push_back(molecules_.id[k]);
}

/// Labels a step once, for what is written and for what is removed.
const Clusters& DropletWatch::clusters_at(std::int64_t step, const Particles& p) {
  if (std::exchange(labelled_step_, step) != step) clusters_ = find_clusters(molecules_, p.position, link_distance_);
  return clusters_;
}

DropletWatch::Report DropletWatch::look(std::int64_t step, double time, const Particles& p) {
  const Clusters& clusters = clusters_at(step, p);
  Report report{.row = row(step, time, clusters, p), .events = {}};
  std::vector<char> member = members_before(clusters);
  std::vector<char> has_left(clusters.size.size());
  for (std::size_t k = 0; k < member.size(); ++k)
    if (member[k] != 0 && !clusters.in_droplet(k)) has_left[clusters.number[k]] = 1;
  const std::vector<char> near = near_droplet(clusters, has_left, p);
  for (std::size_t c = 0; c < has_left.size(); ++c)
    if (near[c] != 0) has_left[c] = 0;
  leave(clusters, has_left, p, member, report.events);
  for (std::uint32_t k = 0; k < member.size(); ++k) {
    if (member[k] != 0 || !clusters.in_droplet(k)) continue;
    report.events.push_back(event({k}, p));
    report.events.back().kind = DropletEventKind::condensed;
    member[k] = 1;
  }
  keep(member);
  date(step, time, report.events);
  return report;
}

DropletWatch::Removal DropletWatch::remove(std::int64_t step, double time, const Particles& p) {
  Removal removal;
  if (!remove_beyond_) return removal;
  const Clusters& clusters = clusters_at(step, p);
  const ClusterMeasure droplet = measure_cluster(molecules_, clusters, 0, p);
  const std::vector<Vec3<double>> centre = cluster_centres(molecules_, clusters, p);
  std::vector<char> is_far(clusters.size.size());
  for (std::size_t c = 1; c < is_far.size(); ++c)
    is_far[c] = norm(centre[c] - droplet.centre) > droplet.radius + *remove_beyond_ ? 1 : 0;
  std::vector<char> member = members_before(clusters);
  leave(clusters, is_far, p, member, removal.events);
  std::map<std::uint32_t, std::vector<std::uint32_t>> removed;  // by cluster
  for (std::uint32_t k = 0; k < molecules_.size(); ++k)
    if (is_far[clusters.number[k]] != 0) removed[clusters.number[k]].push_back(k);
  for (const auto& [cluster, molecules] : removed) {
    removal.events.push_back(event(molecules, p));
    removal.events.back().kind = DropletEventKind::removed;
    for (const std::uint32_t k : molecules)
      for (const std::uint32_t i : atoms_of_[k]) removal.atoms.push_back(p.id_of(i));
  }
  keep(member);
  date(step, time, removal.events);
  return removal;
}

}  // namespace dropmd
