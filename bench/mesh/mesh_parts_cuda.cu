#include <algorithm>
#include <cmath>
#include <cstddef>
#include <vector>

#include "bench/mesh/mesh_parts.h"
#include "bench/mesh/mesh_rates.cuh"
#include "core/errors.h"
#include "device/device_info.h"
#include "device/graph.cuh"
#include "device/timer.cuh"
#include "forces/atoms_on_device.cuh"
#include "forces/device_forces.cuh"
#include "forces/mesh/cuda/device_mesh.cuh"

namespace dropmd {

namespace {

/// How often a part is timed: in a graph of several repetitions, so that the device is timed and not the launches.
struct MeshTiming {
  static constexpr int kLaunches = 11;
  static constexpr int kFewestRepetitions = 3, kMostRepetitions = 50;
  static constexpr double kSecondsPerGraph = 0.01;
};

/// Returns the median time in seconds of what `enqueue` enqueues.
template <class Enqueue>
double seconds_of(const Cuda& cuda, const Enqueue& enqueue) {
  Timer once;
  enqueue();
  once.start(cuda.stream);
  enqueue();
  once.stop(cuda.stream);
  cuda.stream.synchronize("timing a mesh");
  const auto n = static_cast<int>(std::clamp(MeshTiming::kSecondsPerGraph / std::max(once.seconds(), 1e-7),
                                             static_cast<double>(MeshTiming::kFewestRepetitions),
                                             static_cast<double>(MeshTiming::kMostRepetitions)));
  const Graph graph(cuda, [&] {
    for (int k = 0; k < n; ++k) enqueue();
  });
  graph.launch(cuda);
  std::vector<Timer> timers(MeshTiming::kLaunches);
  for (Timer& timer : timers) {
    timer.start(cuda.stream);
    graph.launch(cuda);
    timer.stop(cuda.stream);
  }
  cuda.stream.synchronize("timing a mesh");
  std::vector<double> seconds;
  seconds.reserve(timers.size());
  for (const Timer& timer : timers) seconds.push_back(timer.seconds());
  std::sort(seconds.begin(), seconds.end());
  return seconds[seconds.size() / 2] / n;
}

template <class Real>
AtomsOnDevice<Real> on_device(const Cuda& cuda, const MeshBenchCase& timed, const Particles& particles) {
  return AtomsOnDevice<Real>(cuda.stream, timed.model, particles.position, particles.charge, particles.pair_species,
                             central_anchor(particles.position, 1.0));
}

void require_no_fault(ErrorRecord& errors) {
  if (errors.read()) throw DeviceError("a mesh reported a fault while it was timed");
}

/// Times the functions of a mesh for the charges in its region.
template <class Real>
void time_parts(const Cuda& cuda, const MeshBenchCase& timed, MeshTimes& times) {
  const Particles& particles = timed.on_mesh;
  const MeshParameters& parameters = timed.term.parameters();
  const MeshBox& box = timed.region.box;
  DeviceMeshSettings settings;
  settings.order = parameters.order;
  settings.extent = box.diagonal();
  for (const double q : particles.charge) settings.charge.largest = std::max(settings.charge.largest, std::abs(q));
  settings.charge.density =
      4 * static_cast<double>(particles.size()) / (static_cast<double>(box.size()) * std::pow(box.spacing, 3));
  settings.mass = particles.mass;
  const DeviceMesh<Real> mesh(cuda, {1}, CoulombSplit(parameters.cutoff, parameters.bandwidth), box, settings);
  AtomsOnDevice<Real> atoms = on_device<Real>(cuda, timed, particles);
  const DeviceMoment<Real> now = atoms.moment();
  DeviceBuffer<double> d_energy(cuda.stream);
  d_energy.resize(1);
  const ErrorRecordView errors = atoms.sums().errors().view();
  const auto spread = [&] { mesh.spread(cuda, now, errors); };
  const auto spread_and_transform = [&] {
    spread();
    mesh.transform(cuda, errors);
  };
  const double spreading = seconds_of(cuda, spread), transforms = seconds_of(cuda, spread_and_transform) - spreading;
  times.parts.push_back({"spread", spreading});
  times.parts.push_back({"transforms", transforms});
  spread_and_transform();
  const double gather = seconds_of(cuda, [&] { mesh.add_forces(cuda, now, atoms.sums().view()); });
  const double energies = seconds_of(cuda, [&] { mesh.energy(cuda, now, d_energy.data()); });
  require_no_fault(atoms.sums().errors());
  times.parts.push_back({"gather", gather});
  times.parts.push_back({"energies", energies});
}

/// Times the term of a run, with the charges outside of the mesh.
template <class Real>
double seconds_of_term(const Cuda& cuda, const MeshBenchCase& timed) {
  AtomsOnDevice<Real> atoms = on_device<Real>(cuda, timed, timed.particles);
  const DeviceMoment<Real> now = atoms.moment();
  const auto term = device_term<Real>(cuda, timed.term, timed.particles);
  term->reordered(cuda, now);
  term->rebuild(cuda, now);
  term->refresh(cuda, now);
  const double seconds = seconds_of(cuda, [&] { term->add_forces(cuda, now, atoms.sums().view()); });
  require_no_fault(atoms.sums().errors());
  return seconds;
}

template <class Real>
MeshTimes times_in(const Cuda& cuda, const MeshBenchCase& timed) {
  MeshTimes times;
  times.rates = measure_mesh_rates<Real>(cuda);
  time_parts<Real>(cuda, timed, times);
  const double whole = seconds_of_term<Real>(cuda, timed);
  if (timed.n_outside > 0) {
    const double of_mesh = *times.of("spread") + *times.of("transforms") + *times.of("gather");
    times.parts.push_back({"outside", std::max(0.0, whole - of_mesh)});
  }
  times.parts.push_back({"mesh", whole});
  return times;
}

}  // namespace

MeshTimes time_mesh_cuda(int device, Precision precision, const MeshBenchCase& timed) {
  require_device(device);
  const Stream stream(device);
  const Cuda cuda{stream};
  return precision == Precision::mixed ? times_in<float>(cuda, timed) : times_in<double>(cuda, timed);
}

}  // namespace dropmd
