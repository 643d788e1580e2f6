#include "engine/model/initial_velocities.h"

#include <algorithm>
#include <cmath>

#include "core/particles.h"
#include "core/philox.h"
#include "engine/thermometer.h"

namespace dropmd {

std::vector<Vec3<double>> maxwell_boltzmann(std::span<const double> mass, double temperature, const Units& units,
                                            std::uint64_t seed, const VelocityConstraints& constraints) {
  const std::size_t n = mass.size();
  const auto n_real = count_with_mass(mass);
  std::vector<Vec3<double>> velocity(n);
  if (n_real < 2) return velocity;
  const RandomKey key{seed, RandomPurpose::velocities};
  for (std::size_t i = 0; i < n; ++i)
    if (mass[i] > 0)
      velocity[i] = std::sqrt(units.boltzmann * temperature * units.acceleration / mass[i]) * normal_vec3(key, i, 0);

  Vec3<double> momentum{};
  double total_mass = 0;
  for (std::size_t i = 0; i < n; ++i) {
    momentum += mass[i] * velocity[i];
    total_mass += mass[i];
  }
  for (std::size_t i = 0; i < n; ++i)
    if (mass[i] > 0) velocity[i] -= (1.0 / total_mass) * momentum;
  constraints.remove(velocity);

  const std::size_t n_dof = 3 * n_real - std::min(3 * n_real, 3 + constraints.number);
  const double drawn = temperature_of(kinetic_energy(Cpu{}, mass, velocity, units), n_dof, units);
  if (drawn > 0)
    for (Vec3<double>& v : velocity) v *= std::sqrt(temperature / drawn);
  return velocity;
}

}  // namespace dropmd
