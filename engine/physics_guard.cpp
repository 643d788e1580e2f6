#include "engine/physics_guard.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "core/errors.h"
#include "core/ordered_sum.h"

namespace dropmd {

namespace {

/// Å: some force fields give hydrogens a contact distance below what they move in a step, while no bond survives a move
/// of its own length.
constexpr double kLongestMoveOfMolecules = 1;

std::string text(const Vec3<double>& a) { return fmt::format("({:.6g}, {:.6g}, {:.6g})", a.x, a.y, a.z); }

constexpr const char* kRemedy =
    "a smaller timestep or factor, parameters that suit the structure, or a start without overlaps may help";

}  // namespace

PhysicsGuard::PhysicsGuard(const System& system, Cpu cpu) : system_(system), cpu_(cpu) {}

std::optional<double> PhysicsGuard::longest_move() const {
  const auto r_min = system_.model.smallest_r_min();
  if (!r_min) return std::nullopt;
  const double half = 0.5 * *r_min;
  return system_.topology ? std::max(half, kLongestMoveOfMolecules) : half;
}

double PhysicsGuard::shortest_distance() const {
  // Length units: below any distance that physics without van der Waals terms survives.
  constexpr double kSamePlace = 1e-9;
  return 0.1 * system_.model.smallest_r_min().value_or(10 * kSamePlace);
}

void PhysicsGuard::check_start(std::int64_t step, double time) const {
  const Particles& p = system_.particles;
  check_finite(step, time, {}, {});
  check_barriers(step, time);
  if (const auto pair = overlap())
    throw PhysicsError(fmt::format(
        "step {}, time {:.6g}: atoms {} and {} are {:.6g} {} apart, at {} and {} (at least {:.6g} {} are needed; move "
        "or "
        "remove one of them)",
        step, time, p.id_of(pair->first), p.id_of(pair->second), pair->distance, system_.units.length,
        text(p.position[pair->first]), text(p.position[pair->second]), shortest_distance(), system_.units.length));
}

/// Virtual sites and the atoms that their molecules exclude from each other may be anywhere.
std::optional<AtomPair> PhysicsGuard::overlap() const {
  const Particles& p = system_.particles;
  const auto counts = [&](const AtomPair& pair) {
    if (!system_.topology) return true;
    if (p.mass[pair.first] == 0 || p.mass[pair.second] == 0) return false;
    return !system_.topology->exclusions.exclude(p.id_of(pair.first) - 1, p.id_of(pair.second) - 1);
  };
  return closest_pair_within(p.position, shortest_distance(), counts);
}

/// Reports the pair that is farthest below its barrier, if there is one.
void PhysicsGuard::check_barriers(std::int64_t step, double time) const {
  // Mixed precision may take a pair that is just above its barrier to be below it.
  constexpr double kRounding = 1 + 1e-5;
  const auto& position = system_.particles.position;
  const double largest = system_.model.largest_barrier() * kRounding;
  if (largest == 0 ||
      !std::all_of(position.begin(), position.end(), [](const Vec3<double>& x) { return is_finite(x); }))
    return;
  std::optional<AtomPair> worst;
  double share = 1, barrier = 0;
  for_each_pair_within(position, largest, [&](const AtomPair& pair) {
    const double own =
        system_.model.barrier(system_.particles.pair_species[pair.first], system_.particles.pair_species[pair.second]);
    if (!(pair.distance < share * own * kRounding)) return;
    share = pair.distance / (own * kRounding);
    barrier = own;
    worst = pair;
  });
  if (!worst) return;
  throw PhysicsError(fmt::format(
      "step {}, time {:.6g} {}: atoms {} and {} are {:.6g} {} apart, at {} and {}: below the barrier of their "
      "Born-Mayer potential at {:.6g} {}, where attraction outgrows the repulsion and the pair collapses ({})",
      step, time, system_.units.time, system_.particles.id_of(worst->first), system_.particles.id_of(worst->second),
      worst->distance, system_.units.length, text(position[worst->first]), text(position[worst->second]), barrier,
      system_.units.length, kRemedy));
}

void PhysicsGuard::before_move() { before_ = system_.particles.position; }

void PhysicsGuard::check_move(std::int64_t step, double time, std::span<const Vec3<double>> force) const {
  const auto limit = longest_move();
  if (!limit) return;
  for (std::size_t i = 0; i < before_.size(); ++i) {
    const double moved = norm(system_.particles.position[i] - before_[i]);
    if (!(moved <= *limit))  // NaN, too
      fail(step, time, i, force,
           fmt::format("moved {:.6g} {} in one step, more than {:.6g}{}", moved, system_.units.length, *limit,
                       system_.topology           ? ""
                       : system_.model.born_mayer ? " (half of the smallest distance of contact)"
                                                  : " (half of the smallest r_min)"));
  }
}

void PhysicsGuard::check_finite(std::int64_t step, double time, std::span<const Vec3<double>> force,
                                const Energies& energies) const {
  const Particles& p = system_.particles;
  const auto are_finite = [&](std::size_t i) {
    return is_finite(p.position[i]) && is_finite(p.velocity[i]) && (force.empty() || is_finite(force[i]));
  };
  const bool no_fault =
      ordered_sum<std::size_t>(cpu_, p.size(), [&](std::size_t i) { return are_finite(i) ? 0U : 1U; }) == 0;
  const std::size_t n = no_fault ? 0 : p.size();
  // Positions first: a position that is not finite spoils the forces and velocities of other atoms.
  for (std::size_t i = 0; i < n; ++i)
    if (!is_finite(p.position[i])) fail(step, time, i, force, "has a position that is not finite");
  for (std::size_t i = 0; i < n; ++i) {
    const bool moves = is_finite(p.velocity[i]), is_pushed = force.empty() || is_finite(force[i]);
    if (!moves || !is_pushed) check_barriers(step, time);
    if (!moves) fail(step, time, i, force, "has a velocity that is not finite");
    if (!is_pushed) fail(step, time, i, force, "feels a force that is not finite");
  }
  if (std::isfinite(energies.total())) return;
  check_barriers(step, time);
  std::string parts;
  for (const auto& [name, energy] : energies.components()) parts += fmt::format("{} {:.6g}, ", name, energy);
  throw PhysicsError(fmt::format("step {}, time {:.6g} {}: the energy is not finite ({}kinetic {:.6g}; {})", step, time,
                                 system_.units.time, parts, energies.kinetic, kRemedy));
}

void PhysicsGuard::fail(std::int64_t step, double time, std::size_t atom, std::span<const Vec3<double>> force,
                        const std::string& what) const {
  const auto& position = system_.particles.position;
  std::string message = fmt::format("step {}, time {:.6g} {}: atom {} at {} {}", step, time, system_.units.time,
                                    system_.particles.id_of(atom), text(position[atom]), what);
  if (!force.empty())
    message += fmt::format("; force {} {}/{}", text(force[atom]), system_.units.energy, system_.units.length);
  if (const auto nearest = nearest_neighbor(position, static_cast<std::uint32_t>(atom)))
    message += fmt::format("; nearest neighbour: atom {} at a distance of {:.6g} {}",
                           system_.particles.id_of(nearest->second), nearest->distance, system_.units.length);
  throw PhysicsError(message + " (" + kRemedy + ")");
}

}  // namespace dropmd
