#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <random>
#include <vector>

#include "core/particles.h"
#include "outputs/trajectories/trajectory_file.h"

namespace dropmd {

/// Atoms of two species within `spread` of the origin on each axis.
inline Particles some_atoms(std::size_t n, double spread, unsigned seed = 1) {
  std::mt19937 random(seed);
  std::uniform_real_distribution<double> number(-1, 1);
  Particles particles;
  const auto vector = [&](double scale) {
    return Vec3<double>{scale * number(random), scale * number(random), scale * number(random)};
  };
  for (std::size_t i = 0; i < n; ++i) {
    particles.position.push_back(vector(spread));
    particles.velocity.push_back(vector(0.01));
    particles.mass.push_back(i % 3 == 0 ? 15.9994 : 1.008);
    particles.charge.push_back(i % 3 == 0 ? -0.8 : 0.4);
    particles.species.push_back(i % 3 == 0 ? 0 : 1);
  }
  particles.species_names = {"O", "H"};
  return particles;
}

/// Returns the atoms without those that have these ids.
inline Particles without(const Particles& whole, const std::vector<std::uint32_t>& ids) {
  Particles rest;
  rest.species_names = whole.species_names;
  rest.next_id = whole.first_unused_id();
  for (std::size_t i = 0; i < whole.size(); ++i) {
    if (std::find(ids.begin(), ids.end(), whole.id_of(i)) != ids.end()) continue;
    rest.position.push_back(whole.position[i]);
    rest.velocity.push_back(whole.velocity[i]);
    rest.mass.push_back(whole.mass[i]);
    rest.charge.push_back(whole.charge[i]);
    rest.species.push_back(whole.species[i]);
    rest.id.push_back(whole.id_of(i));
  }
  return rest;
}

/// The frames of a run from which atoms 2 and 5 leave before the third one and atom 12 before the fifth one.
inline Particles atoms_of_step(std::size_t n, std::int64_t step) {
  Particles particles = some_atoms(n, 8, static_cast<unsigned>(step + 1));
  if (step >= 40) return without(particles, {2, 5, 12});
  return step >= 20 ? without(particles, {2, 5}) : particles;
}

/// Contents of a run with a frame every 10 steps of 2 fs.
inline TrajectoryContents contents_of(const Particles& particles, const Units& units = kRealUnits) {
  return {.units = units, .title = "some atoms", .every = 10, .timestep = 2, .ids = true, .particles = &particles};
}

inline std::unique_ptr<TrajectoryWriter> open_trajectory(const TrajectoryTarget& target, const Particles& particles,
                                                         const Units& units = kRealUnits) {
  return trajectory_format(target.path).open(target, contents_of(particles, units));
}

inline void append_step(TrajectoryWriter& writer, std::int64_t step, const Particles& particles) {
  writer.append({step, 2.0 * static_cast<double>(step), particles});
}

}  // namespace dropmd
