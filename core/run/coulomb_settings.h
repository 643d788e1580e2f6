#pragma once

#include <optional>

namespace dropmd {

/// How an untruncated Coulomb term is computed: as a sum over all pairs, or by a particle mesh in free space.
/// automatic: whichever the cost model finds cheaper for the accuracy; all pairs if no accuracy is given.
enum class CoulombMethod { automatic, direct, mesh };

/// Settings of an untruncated Coulomb term.
struct CoulombSettings {
  CoulombMethod method = CoulombMethod::automatic;
  /// RMS error of the forces of a mesh, relative to the RMS Coulomb force; nullopt: kUsualMeshAccuracy where a mesh is
  /// named.
  std::optional<double> accuracy{};
  /// Parameters of a mesh: cutoff of its pair part and spacing (both lengths), and order of its B-splines; nullopt:
  /// chosen for the accuracy.
  std::optional<double> mesh_cutoff{}, mesh_spacing{};
  std::optional<int> mesh_order{};
  /// Steps between evaluations of the mesh (core/outer_steps.h); nullopt: 1.
  std::optional<int> mesh_every{};
};

inline constexpr double kUsualMeshAccuracy = 1e-4;

}  // namespace dropmd
