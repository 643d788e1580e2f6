#pragma once

#include <vector>

#include "forces/mesh/mesh_parameters.h"

namespace dropmd {

/// The mesh of an untruncated Coulomb term.
struct CoulombMesh {
  MeshParameters parameters;
  double accuracy = 0;         ///< requested RMS error of the forces, relative to the RMS Coulomb force
  double error = 0;            ///< the same, estimated
  double force = 0;            ///< RMS Coulomb force at the start, energy/length, to which errors are relative
  int refinements = 0;         ///< since a measured error was last within the accuracy (engine/mesh_check.h)
  bool fixed_spacing = false;  ///< whether the settings name the spacing, which then stays
  bool fixed_order = false;    ///< whether they name the order of the B-splines
  bool fitted = false;         ///< whether the error has been measured, so that the mesh is never made coarser again

  /// Convert the mesh to numbers, for a checkpoint, and back. Throws std::invalid_argument for numbers of no mesh.
  std::vector<double> numbers() const;
  static CoulombMesh from(const std::vector<double>& numbers);
};

}  // namespace dropmd
