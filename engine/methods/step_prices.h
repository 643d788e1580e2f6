#pragma once

#include "core/run/choices.h"
#include "forces/mesh/mesh_parameters.h"

namespace dropmd {

/// The cost of a step of a method: `step` microseconds per step, `atom` nanoseconds per atom, `pair` nanoseconds per
/// pair within cutoff + skin; and the same for building what the method keeps. In mixed precision; the choice between
/// methods is the same in double. Fitted to the measurements in docs/experiments.md ("Cost model").
struct StepPrices {
  double step = 0, atom = 0, pair = 0;
  double build = 0, build_atom = 0, build_pair = 0;
};

/// One thread of a CPU with AVX2 (AMD EPYC, Zen 5).
namespace cpu_prices {
inline constexpr StepPrices kAllPairs{.step = 1, .atom = 80, .pair = 1.4};
inline constexpr StepPrices kCells{.step = 2, .atom = 390, .pair = 2.8};
inline constexpr StepPrices kSortedCells{
    .step = 2, .atom = 120, .pair = 1.3, .build = 4, .build_atom = 200, .build_pair = 0.1};
/// What each species after the first adds to a pair of sorted cells: 2,268 atoms of 3 and of 25 types took 1.8 and 7.8
/// ms, with lists 1.1 and 1.4 ms.
inline constexpr double kSortedCellsSpecies = 0.2;
inline constexpr StepPrices kPairList{
    .step = 1, .atom = 92, .pair = 1.37, .build = 4, .build_atom = 160, .build_pair = 0.74};
}  // namespace cpu_prices

/// An NVIDIA H200, which has kMultiprocessors multiprocessors.
namespace gpu_prices {
inline constexpr double kMultiprocessors = 132;
inline constexpr StepPrices kAllPairsPersistent{.step = 2.3, .atom = 0.3, .pair = 2.15e-3};
/// Rigid waters; the pairs are those of atoms. The 7 µs of a step are left out here because the other prices are those
/// of point atoms and leave out some 8 µs that general steps of molecules take in addition.
inline constexpr StepPrices kWatersPersistent{.step = 0.1, .atom = 0, .pair = 1.9e-3};
inline constexpr StepPrices kAllPairs{.step = 12, .atom = 0.2, .pair = 0.91e-3};
inline constexpr StepPrices kCells{
    .step = 35, .atom = 1.4, .pair = 15e-3, .build = 56, .build_atom = 2.6, .build_pair = 0};
inline constexpr StepPrices kSortedCells{
    .step = 60, .atom = 1.4, .pair = 0.6e-3, .build = 88, .build_atom = 0.27, .build_pair = 0};
/// The same for molecules, by steps of 9,000 to 300,000 atoms of water on an H100: 488, 625, 793 and 2,064 µs, where
/// lists took 44, 90, 228 and 711.
inline constexpr StepPrices kSortedCellsOfMolecules{
    .step = 440, .atom = 5.0, .pair = 0.6e-3, .build = 88, .build_atom = 0.27, .build_pair = 0};
inline constexpr StepPrices kClusterList{
    .step = 16, .atom = 0.5, .pair = 1.7e-3, .build = 25, .build_atom = 0.43, .build_pair = 6.3e-3};
inline constexpr StepPrices kTwoAtomList{
    .step = 36, .atom = 0.32, .pair = 3.1e-3, .build = 120, .build_atom = 0.5, .build_pair = 7e-3};
inline constexpr StepPrices kPersistentList{
    .step = 4.7, .atom = 0.29, .pair = 8.0e-3, .build = 8, .build_atom = 3, .build_pair = 0};
/// Fitted to steps and parts of meshes for 32,768 to 1,048,576 atoms, with the transforms of VkFFT. A pair with a
/// charge outside the mesh is computed twice, at an estimated half a million million a second. A pair within the range
/// of a second mesh costs four times as much, according to steps of vapours around 32,768 and 262,144 atoms on an H100.
inline constexpr MeshPrices kMesh{
    .pair = 4.2e-3, .point = 0.012, .spline_point = 1.2e-3, .direct_pair = 4e-3, .level = 30'000, .near_pair = 4};
/// Of a step with a mesh, besides kMesh: microseconds.
inline constexpr double kMeshStep = 48;
}  // namespace gpu_prices

/// The prices of a mesh, in nanoseconds, on one thread of a CPU or on a GPU; and those of a step, in microseconds.
inline const MeshPrices& mesh_prices(Backend backend) {
  return backend == Backend::cuda ? gpu_prices::kMesh : kCpuMeshPrices;
}
/// The same per step for a mesh that is computed every so many steps. Its pairs are computed in every step.
constexpr MeshPrices at_interval(MeshPrices prices, int every) {
  prices.point /= every;
  prices.spline_point /= every;
  prices.direct_pair /= every;
  prices.level /= every;
  return prices;
}
inline double mesh_step_price(Backend backend) { return backend == Backend::cuda ? gpu_prices::kMeshStep : 0; }

}  // namespace dropmd
