#include "integrators/constraints/constraint_clusters.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <utility>

#include "core/connected_components.h"
#include "core/errors.h"

namespace dropmd {
namespace {

/// Throws InputError for a constraint that no cluster could have.
void check(const Constraint& constraint, std::span<const double> mass, const AtomLabels& labels) {
  for (const std::uint32_t atom : constraint.atom)
    if (atom >= mass.size()) throw std::logic_error("a constraint of an atom that the topology does not have");
  if (constraint.atom[0] == constraint.atom[1])
    throw InputError(fmt::format("a constraint joins atom {} to itself (name two different atoms)",
                                 labels.atom(constraint.atom[0])));
  if (!(constraint.length > 0 && constraint.length < std::numeric_limits<double>::infinity()))
    throw InputError(fmt::format("the length {:g} of the constraint {} is not positive (it must be greater than 0)",
                                 constraint.length, labels.bond(constraint)));
  for (const std::uint32_t atom : constraint.atom)
    if (!(mass[atom] > 0))
      throw InputError(fmt::format("atom {} of the constraint {} has no mass (constraints must join atoms with mass)",
                                   labels.atom(atom), labels.bond(constraint)));
}

/// Whether two lengths are the same number but for its last digits.
bool same_length(double a, double b) {
  constexpr double kRounding = 1e-12;
  return std::fabs(a - b) <= kRounding * std::max(a, b);
}

/// Sorts stably. Topologies of many molecules are in order already.
template <class Before>
void sort_unless_sorted(std::vector<Constraint>& constraints, const Before& before) {
  if (!std::is_sorted(constraints.begin(), constraints.end(), before))
    std::stable_sort(constraints.begin(), constraints.end(), before);
}

/// Returns the constraints with ascending atoms, ascending and each once.
std::vector<Constraint> without_duplicates(std::span<const Constraint> constraints, std::span<const double> mass,
                                           const AtomLabels& labels) {
  std::vector<Constraint> unique;
  unique.reserve(constraints.size());
  for (Constraint c : constraints) {
    check(c, mass, labels);
    if (c.atom[0] > c.atom[1]) std::swap(c.atom[0], c.atom[1]);
    unique.push_back(c);
  }
  sort_unless_sorted(unique, [](const Constraint& a, const Constraint& b) { return a.atom < b.atom; });
  const auto end = std::unique(unique.begin(), unique.end(), [&](const Constraint& a, const Constraint& b) {
    if (a.atom != b.atom) return false;
    if (!same_length(a.length, b.length))
      throw InputError(fmt::format("the constraint {} has the lengths {:g} and {:g} (give it once)", labels.bond(a),
                                   a.length, b.length));
    return true;
  });
  unique.erase(end, unique.end());
  return unique;
}

/// atoms: memory for the atoms of the cluster.
ConstraintCluster cluster_of(std::span<const Constraint> constraints, std::vector<std::uint32_t>& atoms) {
  atoms.clear();
  for (const Constraint& c : constraints) atoms.insert(atoms.end(), c.atom.begin(), c.atom.end());
  std::sort(atoms.begin(), atoms.end());
  atoms.erase(std::unique(atoms.begin(), atoms.end()), atoms.end());
  ConstraintCluster cluster{constraints, {}, atoms.size()};
  std::copy_n(atoms.begin(), cluster.atoms().size(), cluster.atom.begin());
  return cluster;
}

}  // namespace

double ConstraintCluster::length(std::uint32_t a, std::uint32_t b) const {
  const auto [first, second] = std::minmax(a, b);
  for (const Constraint& c : constraints)
    if (c.atom[0] == first && c.atom[1] == second) return c.length;
  return 0;
}

ConstraintClusters::ConstraintClusters(std::span<const Constraint> constraints, std::span<const double> mass,
                                       const AtomLabels& labels)
    : constraints_(without_duplicates(constraints, mass, labels)) {
  ConnectedComponents components(mass.size());
  for (const Constraint& c : constraints_) components.join(c.atom[0], c.atom[1]);
  const auto component = [&](const Constraint& c) { return components.label_of(c.atom[0]); };
  sort_unless_sorted(constraints_,
                     [&](const Constraint& a, const Constraint& b) { return component(a) < component(b); });
  std::vector<std::uint32_t> atoms;  // memory that all clusters use
  for (std::size_t first = 0, last = 0; first < constraints_.size(); first = last) {
    while (last < constraints_.size() && component(constraints_[last]) == component(constraints_[first])) ++last;
    clusters_.push_back(cluster_of(std::span(constraints_).subspan(first, last - first), atoms));
  }
}

}  // namespace dropmd
