#pragma once

#include <cmath>
#include <span>
#include <vector>

#include "forces/mesh/host_mesh.h"
#include "tests/forces/mesh/mesh_systems.h"

/// What tests of meshes on the host share.
namespace dropmd {

inline const MeshParameters kMeshParameters{9, 12.4, 1.6, 6, 0};
/// A charge outside of the mesh costs as much as 3000 points of the padded mesh, for 300 charges.
inline constexpr MeshPrices kMeshPrices{2, 1, 0.1, 10};
/// Charges outside of the mesh cost so much that there are none.
inline constexpr MeshPrices kMeshAlone{2, 30, 2.5, 1e9};

struct MeshEvaluation {
  std::vector<Vec3<double>> force;
  double energy;
};

/// The forces are poisoned first, so that one that is not written shows.
inline MeshEvaluation evaluate(HostMesh& mesh, std::span<const Vec3<double>> position,
                               Want want = Want::forces_and_energies) {
  MeshEvaluation result{std::vector<Vec3<double>>(position.size(), {NAN, NAN, NAN}), 0};
  Energies energies;
  mesh.evaluate({position, 0}, want, true, result.force, energies);
  result.energy = energies.of(kCoulombEnergy);
  return result;
}

}  // namespace dropmd
