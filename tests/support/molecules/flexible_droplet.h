#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <random>
#include <string>
#include <vector>

#include "engine/molecules/constrained_start.h"
#include "engine/molecules/molecules.h"
#include "inputs/run_file/run_config.h"
#include "inputs/structures/structure.h"
#include "tests/support/system/temp_folder.h"

/// Droplets of molecules with all that molecules can have: chains of three carbons, joined by bonds, with hydrogens at
/// fixed distances, so that a chain has three clusters of constraints; molecules with a virtual site that belongs to no
/// cluster; and ions.
namespace dropmd {

inline std::string flexible_topology(std::size_t n) {
  const std::string count = " " + std::to_string(n) + "\n";
  return R"(
[ defaults ]
1 2 no 1.0 1.0
[ atomtypes ]
C 6 12.0 0.0 A 0.34 0.36
H 1  1.0 0.0 A 0.25 0.06
A 8 14.0 0.0 A 0.28 0.65
V 0  0.0 0.0 V 0.25 0.30
I 11 23.0 0.0 A 0.24 0.45

[ moleculetype ]
CHAIN 3
[ atoms ]
1 C 1 CHN C1 1 -0.12 12.0
2 H 1 CHN H1 1  0.06  1.0
3 H 1 CHN H2 1  0.06  1.0
4 C 1 CHN C2 1 -0.06 12.0
5 H 1 CHN H3 1  0.06  1.0
6 C 1 CHN C3 1 -0.16 12.0
7 H 1 CHN H4 1  0.16  1.0
[ bonds ]
1 4 1 0.153 224000
4 6 1 0.153 224000
[ constraints ]
1 2 1 0.109
1 3 1 0.109
4 5 1 0.109
6 7 1 0.109
[ angles ]
1 4 6 1 110 470
2 1 4 1 110 300
4 6 7 1 110 300
[ dihedrals ]
2 1 4 6 1 0 0.6 3
1 4 6 7 1 0 0.6 3

[ moleculetype ]
SITED 1
[ atoms ]
1 A 1 SIT A1 1  0.21 14.0
2 A 1 SIT A2 1 -0.14 16.0
3 A 1 SIT A3 1  0.17 14.0
4 V 1 SIT V  1 -0.24  0.0
[ bonds ]
1 2 1 0.146 224000
1 3 1 0.146 224000
1 4 5
[ angles ]
2 1 3 1 110 470
[ virtual_sites3 ]
4 1 2 3 4 -0.35 -0.3 6.5
[ exclusions ]
1 2 3 4
2 3 4
3 4

[ moleculetype ]
ION 1
[ atoms ]
1 I 1 ION I 1 0.5

[ system ]
Flexible molecules
[ molecules ]
CHAIN)" + count +
         "SITED" + count + "ION 5\n";
}

/// Returns a droplet of n molecules of either kind and five ions, on a lattice at random orientations; sets the run's
/// topology, whose file is removed again.
inline System flexible_droplet(std::size_t n, RunConfig& run) {
  constexpr double kSpacing = 6.5;  // Å, so that nothing overlaps
  const std::vector<Vec3<double>> chain{{0, 0, 0},           {-0.36, 1.03, 0}, {-0.36, -0.51, 0.89}, {1.53, 0, 0},
                                        {1.89, -0.57, 0.86}, {2.05, 1.44, 0},  {3.14, 1.44, 0}},
      sited{{0, 0, 0}, {1.46, 0, 0}, {-0.5, 1.37, 0}, {-0.2, -0.3, 0.3}};
  std::mt19937 random(11);
  std::normal_distribution<double> normal;
  Structure structure;
  const auto side = static_cast<std::size_t>(std::ceil(std::cbrt(static_cast<double>(2 * n + 5))));
  const auto add = [&](const std::vector<Vec3<double>>& shape, std::size_t place) {
    const auto at = [&](std::size_t k) {
      return kSpacing * (static_cast<double>(k) - 0.5 * static_cast<double>(side));
    };
    const Vec3<double> corner{at(place % side), at(place / side % side), at(place / side / side)};
    double w = normal(random), x = normal(random), y = normal(random), z = normal(random);
    const double scale = 1 / std::sqrt(w * w + x * x + y * y + z * z);
    w *= scale, x *= scale, y *= scale, z *= scale;
    for (const Vec3<double>& r : shape)
      structure.position.push_back(
          corner +
          Vec3<double>{(1 - 2 * (y * y + z * z)) * r.x + 2 * (x * y - w * z) * r.y + 2 * (x * z + w * y) * r.z,
                       2 * (x * y + w * z) * r.x + (1 - 2 * (x * x + z * z)) * r.y + 2 * (y * z - w * x) * r.z,
                       2 * (x * z - w * y) * r.x + 2 * (y * z + w * x) * r.y + (1 - 2 * (x * x + y * y)) * r.z});
  };
  const auto name = [&](std::initializer_list<const char*> names) {
    structure.atom_name.insert(structure.atom_name.end(), names.begin(), names.end());
  };
  for (std::size_t k = 0; k < n; ++k) add(chain, 2 * k), name({"C1", "H1", "H2", "C2", "H3", "C3", "H4"});
  for (std::size_t k = 0; k < n; ++k) add(sited, 2 * k + 1), name({"A1", "A2", "A3", "V"});
  for (std::size_t k = 0; k < 5; ++k) add({{0, 0, 0}}, 2 * n + k), name({"I"});
  const TempFolder folder;
  run.topology.file = folder.write("flexible.top", flexible_topology(n));
  const auto molecules = read_molecules(run, structure);
  System system = build_system(run, structure, molecules);
  satisfy_constraints(system, system.particles.position, system.particles.velocity);
  return system;
}

}  // namespace dropmd
