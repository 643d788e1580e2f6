#include "integrators/constraints/cpu_constraints.h"

#include <fmt/core.h>

#include <atomic>
#include <limits>

#include "core/ordered_sum.h"

namespace dropmd {
namespace {

constexpr std::size_t kNone = std::numeric_limits<std::size_t>::max();

/// The smallest number that any thread noted.
class Smallest {
 public:
  void note(std::size_t number) {
    std::size_t before = value_.load(std::memory_order_relaxed);
    while (number < before && !value_.compare_exchange_weak(before, number, std::memory_order_relaxed)) {
    }
  }
  std::optional<std::size_t> get() const { return value_ == kNone ? std::nullopt : std::optional<std::size_t>(value_); }

 private:
  std::atomic<std::size_t> value_{kNone};
};

template <std::size_t n>
void gather(std::span<const Vec3<double>> from, const std::array<std::uint32_t, n>& atoms, Vec3<double> (&to)[n]) {
  for (std::size_t k = 0; k < n; ++k) to[k] = from[atoms[k]];
}

template <std::size_t n>
void scatter(const Vec3<double> (&from)[n], const std::array<std::uint32_t, n>& atoms, std::span<Vec3<double>> to) {
  for (std::size_t k = 0; k < n; ++k) to[atoms[k]] = from[k];
}

/// Calls solve(solver, atoms) for each cluster; returns the first one for which it was false.
template <class Solve>
std::optional<std::size_t> for_each_cluster(Cpu cpu, const ConstraintPlan& plan, const Solve& solve) {
  Smallest failed;
  std::size_t first = 0;
  const auto run = [&]<class Solver>(const ConstraintGroup<Solver>& group) {
    for_each_index(cpu, group.atoms.size(), [&](std::size_t i) {
      if (!solve(group.solver[group.type[i]], group.atoms[i])) failed.note(first + i);
    });
    first += group.atoms.size();
  };
  std::apply([&](const auto&... group) { (run(group), ...); }, plan.groups);
  return failed.get();
}

}  // namespace

std::optional<std::size_t> CpuConstraints::positions(Cpu cpu, std::span<const Vec3<double>> reference,
                                                     std::span<Vec3<double>> position, std::span<Vec3<double>> velocity,
                                                     double dt) const {
  return for_each_cluster(
      cpu, plan_, [&]<class Solver, std::size_t n>(const Solver& solver, const std::array<std::uint32_t, n>& atoms) {
        Vec3<double> before[n], now[n], displacement[n];
        gather(reference, atoms, before);
        gather(position, atoms, now);
        if (!solver.displacements(before, now, displacement)) return false;
        for (std::size_t k = 0; k < n; ++k) {
          position[atoms[k]] += displacement[k];
          if (!velocity.empty()) velocity[atoms[k]] += (1 / dt) * displacement[k];
        }
        return true;
      });
}

std::optional<std::size_t> CpuConstraints::velocities(Cpu cpu, std::span<const Vec3<double>> position,
                                                      std::span<Vec3<double>> velocity) const {
  return for_each_cluster(
      cpu, plan_, [&]<class Solver, std::size_t n>(const Solver& solver, const std::array<std::uint32_t, n>& atoms) {
        Vec3<double> x[n], v[n];
        gather(position, atoms, x);
        gather(velocity, atoms, v);
        const bool solved = solver.solve_velocities(x, v);
        if (solved) scatter(v, atoms, velocity);
        return solved;
      });
}

std::optional<std::size_t> CpuConstraints::forces(Cpu cpu, std::span<const Vec3<double>> position,
                                                  std::span<Vec3<double>> force) const {
  return for_each_cluster(
      cpu, plan_, [&]<class Solver, std::size_t n>(const Solver& solver, const std::array<std::uint32_t, n>& atoms) {
        Vec3<double> x[n], f[n];
        gather(position, atoms, x);
        gather(force, atoms, f);
        const bool solved = solver.solve_forces(x, f);
        if (solved) scatter(f, atoms, force);
        return solved;
      });
}

std::string constraint_failure(const ConstraintPlan& plan, std::size_t cluster, const Particles& particles) {
  const auto atoms = plan.atoms_of(cluster);
  std::string ids;
  for (std::size_t k = 0; k < atoms.size(); ++k)
    ids += fmt::format("{}{}", k == 0 ? "" : k + 1 == atoms.size() ? " and " : ", ", particles.id_of(atoms[k]));
  return fmt::format("the constraints of the atoms {} cannot be satisfied", ids);
}

}  // namespace dropmd
