#include "engine/model/initial_velocities.h"

#include <cmath>

#include "core/philox.h"
#include "engine/thermometer.h"

namespace dropmd {

std::vector<Vec3<double>> maxwell_boltzmann(std::span<const double> mass, double temperature, const Units& units,
                                            std::uint64_t seed) {
  const std::size_t n = mass.size();
  std::vector<Vec3<double>> velocity(n);
  if (n < 2) return velocity;
  const RandomKey key{seed, RandomPurpose::velocities};
  for (std::size_t i = 0; i < n; ++i)
    velocity[i] = std::sqrt(units.boltzmann * temperature * units.acceleration / mass[i]) * normal_vec3(key, i, 0);

  Vec3<double> momentum{};
  double total_mass = 0;
  for (std::size_t i = 0; i < n; ++i) {
    momentum += mass[i] * velocity[i];
    total_mass += mass[i];
  }
  for (Vec3<double>& v : velocity) v -= (1.0 / total_mass) * momentum;

  const double drawn = temperature_of(kinetic_energy(Cpu{}, mass, velocity, units), 3 * n - 3, units);
  for (Vec3<double>& v : velocity) v *= std::sqrt(temperature / drawn);
  return velocity;
}

}  // namespace dropmd
