#pragma once

#include <cstddef>
#include <cstdint>
#include <random>
#include <vector>

#include "maps/map_model.h"

/// Charges for tests of maps.
namespace dropmd {

struct Charges {
  std::vector<Vec3<double>> position;
  std::vector<double> charge;
  MapCharges view() const { return {position, charge}; }
  void add(const Vec3<double>& x, double q) {
    position.push_back(x);
    charge.push_back(q);
  }
};

/// Charges at random positions in a cube around `centre`, with no smallest distance between them.
inline Charges random_charges(std::size_t n, double half, std::uint32_t seed, const Vec3<double>& centre = {}) {
  std::mt19937 random(seed);
  std::uniform_real_distribution<double> place(-half, half), charge(-1, 1);
  Charges charges;
  for (std::size_t i = 0; i < n; ++i) {
    const double x = place(random), y = place(random), z = place(random);
    charges.add(centre + Vec3<double>{x, y, z}, charge(random));
  }
  return charges;
}

}  // namespace dropmd
