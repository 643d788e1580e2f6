#pragma once

#include <array>
#include <cstddef>
#include <optional>

#include "core/run/choices.h"
#include "core/run/map_choices.h"
#include "forces/mesh/mesh_parameters.h"

namespace dropmd {

/// A potential map by a particle mesh in free space: untruncated, as by direct summation, to a chosen accuracy.
struct MapMesh {
  /// RMS error of the potential over the RMS potential, at points that are at least `apart` from every charge.
  double accuracy = kUsualMapAccuracy;
  double apart = 1;  ///< length
  /// The mesh of the run whose charges these are; taken if it reaches the accuracy. nullopt: the map has its own.
  std::optional<MeshParameters> of_run{};
  Precision precision = Precision::fp64;  ///< of the pairs: in mixed precision some meshes are too fine for them
};

/// Throws InputError if the accuracy is not from 1e-5 (mixed) or 1e-10 (double precision) to 1e-2.
void require_map_accuracy(double accuracy, Precision precision);

/// How a map by a mesh was computed.
struct MapMeshResult {
  MeshParameters parameters{};
  std::array<int, 3> points{};  ///< of the mesh; zero: it was cheaper to sum all charges directly
  std::size_t outside = 0;      ///< charges that were summed directly
  double estimated_error = 0;   ///< relative, as MapMesh::accuracy
  double measured_error = 0;    ///< the same, at some points of the map, from direct sums
};

}  // namespace dropmd
