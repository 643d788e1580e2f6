#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "bench/mesh/mesh_limits.h"
#include "core/execution.h"
#include "core/particles.h"
#include "core/run/choices.h"
#include "forces/mesh/mesh_region.h"
#include "forces/mesh/mesh_term.h"
#include "forces/pair/pair_model.h"

namespace dropmd {

/// A mesh whose parts are timed.
struct MeshBenchCase {
  const MeshTerm& term;        ///< of the model
  const PairModel& model;      ///< of the pairs
  const Particles& particles;  ///< of the run
  MeshRegion region{};         ///< of the mesh, not empty
  Particles on_mesh{};         ///< the charges in the region
  std::size_t n_outside = 0;   ///< charges outside of it
};

/// A part of an evaluation and its time in seconds.
struct MeshPartTime {
  std::string part;
  double seconds;
};

/// The times of the parts of a mesh, and of its whole term in the steps of a run ("mesh").
struct MeshTimes {
  std::vector<MeshPartTime> parts;
  MeshRates rates{};

  /// Returns the seconds of a part; nullopt if it was not timed.
  std::optional<double> of(const std::string& part) const;
};

/// Times the parts on the CPU, where the mesh is in fp64: wall times, medians. pair_precision: of its pairs, whose rate
/// is measured, too.
MeshTimes time_mesh_host(Cpu cpu, Precision pair_precision, const MeshBenchCase& timed);
/// The same on a GPU, in a precision: device times from events, medians of repetitions in a graph. Throws DeviceError
/// if the device cannot be used, or this build has no CUDA.
MeshTimes time_mesh_cuda(int device, Precision precision, const MeshBenchCase& timed);

}  // namespace dropmd
