#include "integrators/constraints/constraint_plan.h"

#include <fmt/core.h>

#include <algorithm>
#include <numeric>
#include <optional>
#include <utility>

#include "core/errors.h"
#include "integrators/constraints/constraint_clusters.h"
#include "integrators/constraints/distance_check.h"
#include "integrators/index_of_kind.h"

namespace dropmd {
namespace {

/// What a plan is made from, for one cluster.
struct Member {
  const ConstraintCluster& cluster;
  std::span<const double> mass;  ///< by number
  const PresentAtoms& present;
};

template <class Solver, std::size_t n>
void add(ConstraintGroup<Solver>& group, const std::array<std::uint32_t, n>& numbers, const Member& member,
         const Solver& solver) {
  typename ConstraintGroup<Solver>::Atoms atoms{};
  for (std::size_t i = 0; i < atoms.size(); ++i) atoms[i] = member.present.of(numbers[i]);
  group.atoms.push_back(atoms);
  group.type.push_back(index_of_kind(group.solver, solver));
}

template <class Shape, std::size_t n>
void add_small(ConstraintPlan& plan, const std::array<std::uint32_t, n>& numbers, const Member& member) {
  SmallCluster<Shape> solver{};
  for (int i = 0; i < Shape::kAtoms; ++i) solver.inverse_mass[i] = 1 / member.mass[numbers[i]];
  for (int c = 0; c < Shape::kConstraints; ++c)
    solver.length[c] = member.cluster.length(numbers[Shape::first(c)], numbers[Shape::second(c)]);
  add(std::get<ConstraintGroup<SmallCluster<Shape>>>(plan.groups), numbers, member, solver);
}

/// Returns the atom that all constraints of a cluster have in common.
std::optional<std::uint32_t> centre_of(const ConstraintCluster& cluster) {
  for (const std::uint32_t atom : cluster.constraints.front().atom)
    if (std::ranges::all_of(cluster.constraints, [&](const Constraint& c) { return std::ranges::count(c.atom, atom); }))
      return atom;
  return std::nullopt;
}

void add_star(ConstraintPlan& plan, std::uint32_t centre, const Member& member) {
  std::array<std::uint32_t, 5> numbers{centre};
  std::ranges::copy_if(member.cluster.atoms(), numbers.begin() + 1, [&](std::uint32_t a) { return a != centre; });
  switch (member.cluster.n_atoms) {
    case 2:
      return add_small<StarShape<1>>(plan, numbers, member);
    case 3:
      return add_small<StarShape<2>>(plan, numbers, member);
    case 4:
      return add_small<StarShape<3>>(plan, numbers, member);
    default:
      return add_small<StarShape<4>>(plan, numbers, member);
  }
}

void add_triangle(ConstraintPlan& plan, const Member& member) {
  const auto& atom = member.cluster.atom;
  for (std::size_t apex = 0; apex < 3; ++apex) {
    const std::array<std::uint32_t, 3> numbers{atom[apex], atom[apex == 0 ? 1 : 0], atom[apex == 2 ? 1 : 2]};
    const auto [o, h1, h2] = numbers;
    const double leg = member.cluster.length(o, h1), base = member.cluster.length(h1, h2);
    if (leg == member.cluster.length(o, h2) && member.mass[h1] == member.mass[h2])
      return add(std::get<ConstraintGroup<Settle>>(plan.groups), numbers, member,
                 Settle::make(member.mass[o], member.mass[h1], leg, base));
  }
  add_small<TriangleShape>(plan, atom, member);
}

void add_cluster(ConstraintPlan& plan, const Member& member, const AtomLabels& labels) {
  constexpr std::size_t kMostInStar = 5, kMostElse = 4;
  const ConstraintCluster& cluster = member.cluster;
  const std::optional<std::uint32_t> centre = centre_of(cluster);
  if (cluster.n_atoms > (centre ? kMostInStar : kMostElse))
    throw InputError(
        fmt::format("the constraints {} join {} atoms (constrained atoms may form stars of up to 4 bonds to one atom, "
                    "or clusters of up to 4 atoms: constrain bonds to hydrogen only)",
                    labels.bonds(cluster.constraints), cluster.n_atoms));
  check_distances(cluster, labels);
  if (!member.present.contains(cluster.atoms())) return;
  plan.n_constraints += cluster.constraints.size();
  if (centre) return add_star(plan, *centre, member);
  if (cluster.n_atoms == 3) return add_triangle(plan, member);
  if (cluster.constraints.size() == 6) return add_small<TetrahedronShape>(plan, cluster.atom, member);
  add_small<FourAtomShape>(plan, cluster.atom, member);
}

/// Returns the number of constraints of a cluster.
std::size_t count(const Settle&) { return Settle::kConstraints; }
template <class Shape>
std::size_t count(const SmallCluster<Shape>& solver) {
  return static_cast<std::size_t>(std::ranges::count_if(solver.length, [](double length) { return length > 0; }));
}

/// Sorts the clusters of a group by their first atom, so that threads that are neighbours read neighbouring atoms.
template <class Solver>
void sort_by_first_atom(ConstraintGroup<Solver>& group) {
  const auto first_atom = [](const auto& atoms) { return atoms[0]; };
  if (std::ranges::is_sorted(group.atoms, {}, first_atom)) return;
  std::vector<std::size_t> order(group.atoms.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::sort(order, {}, [&](std::size_t i) { return group.atoms[i][0]; });
  auto atoms = group.atoms;
  auto type = group.type;
  for (std::size_t i = 0; i < order.size(); ++i) {
    atoms[i] = group.atoms[order[i]];
    type[i] = group.type[order[i]];
  }
  group.atoms = std::move(atoms);
  group.type = std::move(type);
}

}  // namespace

std::size_t ConstraintPlan::n_clusters() const {
  return std::apply([](const auto&... group) { return (group.atoms.size() + ...); }, groups);
}

std::span<const std::uint32_t> ConstraintPlan::atoms_of(std::size_t cluster) const {
  std::span<const std::uint32_t> atoms;
  const auto look = [&](const auto& group) {
    if (atoms.empty() && cluster < group.atoms.size()) atoms = group.atoms[cluster];
    cluster -= std::min(cluster, group.atoms.size());
  };
  std::apply([&](const auto&... group) { (look(group), ...); }, groups);
  return atoms;
}

std::string ConstraintPlan::summary() const {
  std::string text;
  const auto write = [&]<class Solver>(const ConstraintGroup<Solver>& group) {
    if (!group.atoms.empty())
      text +=
          fmt::format("{}{} {}", text.empty() ? "" : ", ", group.atoms.size(), Solver::kName.of(group.atoms.size()));
  };
  std::apply([&](const auto&... group) { (write(group), ...); }, groups);
  return text;
}

ConstraintPlan plan_constraints(const Topology& topology, std::span<const double> mass, const PresentAtoms& present,
                                std::span<const std::string> names) {
  const AtomLabels labels(names);
  const ConstraintClusters clusters(topology.constraints, mass, labels);
  ConstraintPlan plan;
  for (const ConstraintCluster& cluster : clusters.clusters()) add_cluster(plan, {cluster, mass, present}, labels);
  std::apply([](auto&... group) { (sort_by_first_atom(group), ...); }, plan.groups);
  return plan;
}

ConstraintPlan present_part(const ConstraintPlan& by_number, const PresentAtoms& present) {
  ConstraintPlan plan;
  const auto take = [&]<class Solver>(const ConstraintGroup<Solver>& from) {
    auto& to = std::get<ConstraintGroup<Solver>>(plan.groups);
    to.solver = from.solver;
    to.atoms.reserve(from.atoms.size());
    to.type.reserve(from.type.size());
    for (std::size_t k = 0; k < from.atoms.size(); ++k) {
      if (!present.contains(from.atoms[k])) continue;
      auto& atoms = to.atoms.emplace_back();
      std::ranges::transform(from.atoms[k], atoms.begin(), [&](std::uint32_t number) { return present.of(number); });
      to.type.push_back(from.type[k]);
      plan.n_constraints += count(from.solver[from.type[k]]);
    }
  };
  std::apply([&](const auto&... group) { (take(group), ...); }, by_number.groups);
  return plan;
}

std::size_t count_constraints(const ConstraintPlan& by_number, const PresentAtoms& present,
                              std::span<const char> counts) {
  std::size_t n = 0;
  const auto add = [&](const auto& group) {
    for (std::size_t k = 0; k < group.atoms.size(); ++k)
      if (const std::uint32_t first = present.of(group.atoms[k][0]);
          first != PresentAtoms::kAbsent && (counts.empty() || counts[first] != 0))
        n += count(group.solver[group.type[k]]);
  };
  std::apply([&](const auto&... group) { (add(group), ...); }, by_number.groups);
  return n;
}

}  // namespace dropmd
