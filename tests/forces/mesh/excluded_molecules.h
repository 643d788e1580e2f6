#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "core/particles.h"
#include "core/topology/topology.h"
#include "tests/forces/mesh/mesh_systems.h"

/// Molecules of charges whose pairs are excluded, for tests of the mesh.
namespace dropmd {

struct MoleculesForMesh {
  Particles particles;
  std::shared_ptr<const Topology> topology;
};

using ExcludedNumbers = std::vector<std::array<std::uint32_t, 2>>;

inline std::shared_ptr<const Topology> topology_excluding(std::size_t n_atoms, const ExcludedNumbers& pairs) {
  auto topology = std::make_shared<Topology>();
  topology->exclusions = exclusions_of_pairs(n_atoms, pairs);
  return topology;
}

/// Returns all pairs within molecules of consecutive atoms.
inline ExcludedNumbers pairs_within(std::size_t n_atoms, std::size_t size) {
  ExcludedNumbers pairs;
  for (std::uint32_t i = 0; i < n_atoms; ++i)
    for (auto j = static_cast<std::uint32_t>(i / size * size); j < i; ++j) pairs.push_back({i, j});
  return pairs;
}

inline const std::vector<std::string> kExcludedSystems{"water", "sites", "chains", "any"};

/// Returns about n atoms: water; water with a charged site at the place of each oxygen, of which one molecule is far
/// from the others; molecules of eight charges, whose pairs of atoms six and seven places apart are not excluded; and
/// random charges with excluded pairs at any distance.
inline MoleculesForMesh excluded_system(const std::string& name, std::size_t n) {
  if (name == "water") {
    Particles p = mesh_system("water", n / 3 * 3);
    return {p, topology_excluding(p.size(), pairs_within(p.size(), 3))};
  }
  if (name == "sites") {
    const Particles water = mesh_system("water", n / 4 * 3);
    Particles p;
    for (std::size_t i = 0; i < water.size(); ++i) {
      const std::size_t copies = i % 3 == 0 ? 2 : 1;
      const Vec3<double> shift = i / 3 == 2 ? Vec3<double>{300, 0, 0} : Vec3<double>{};
      for (std::size_t k = 0; k < copies; ++k) {
        p.position.push_back(water.position[i] + shift);
        p.charge.push_back(copies == 2 ? (k == 0 ? 0.3 : -1.12) : 0.41);
        p.mass.push_back(k == 1 ? 0 : water.mass[i]);
      }
    }
    return {p, topology_excluding(p.size(), pairs_within(p.size(), 4))};
  }
  Particles p = mesh_system("random", n);
  ExcludedNumbers pairs;
  if (name == "chains") {
    for (const auto& [i, j] : pairs_within(n, 8))
      if (i - j < 6) pairs.push_back({i, j});
    for (std::size_t i = 0; i < n; ++i)  // close to each other
      if (i % 8 != 0) p.position[i] = p.position[i - 1] + 0.2 * (p.position[i] - p.position[i - 1]);
  } else {
    for (std::uint32_t i = 0; i < n; ++i) pairs.push_back({i, (i * 37 + 11) % static_cast<std::uint32_t>(n)});
  }
  return {p, topology_excluding(p.size(), pairs)};
}

}  // namespace dropmd
