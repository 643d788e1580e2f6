#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/execution.h"
#include "core/run/choices.h"
#include "maps/designs/map_design.h"

namespace dropmd {

/// The word that stands among the forms for untruncated maps by a particle mesh.
inline constexpr std::string_view kMeshMap = "mesh";

/// The maps that `dropmd bench map` computes, of the benchmark droplet (sc lattice, disorder 0.05 Å, alternating
/// charges ±0.2 e). Lengths are in Å.
struct MapBenchChoices {
  Backend backend = Backend::automatic;  ///< automatic: the CPU, and the GPU if one is usable
  int device = 0;
  int threads = 1;
  std::optional<Precision> precision{};              ///< of the production sums; nullopt: both
  std::vector<std::string> designs{};                ///< names of map_bench_designs(); empty: all
  std::vector<std::string> forms{"exact", "shift"};  ///< forms of maps/map_model.h, or kMeshMap
  double accuracy = 1e-4;                            ///< of kMeshMap
  double density = 0.07;                             ///< atoms per Å³
  bool random = false;                               ///< random positions, as in a liquid, instead of the lattice
  double cutoff = 12;                                ///< of all forms but "exact"
  double spacing = 0.5;                              ///< of the grid
  std::optional<int> bin_capacity{};                 ///< of small bins; nullopt: as many as 95% of the atoms need
  std::optional<std::int32_t> points{};              ///< along each axis; nullopt: the droplet and 5 Å around it
};

/// A design, timed for one map.
struct MapBenchRow {
  std::size_t n_atoms = 0;
  std::size_t n_points = 0;
  double spacing = 0;
  std::string form;
  std::optional<double> cutoff{};
  std::string design;
  std::optional<double> accuracy{};        ///< of kMeshMap
  std::optional<double> measured_error{};  ///< the same, relative to the RMS potential at points of the map
  Backend backend = Backend::cpu;
  std::string device_name{};
  Precision precision = Precision::mixed;
  double time_us = 0;                 ///< whole map including the host's work, median wall time
  std::optional<double> kernel_us{};  ///< device time from the first kernel to the last
  double evaluations = 0;             ///< number of distances computed
  /// Pairs within the cutoff (of a mesh: that of its short-range part); without a cutoff, all pairs of atom and point.
  double within_cutoff = 0;

  /// Counts for published designs, and for the inner loop of the production kernels.
  std::optional<double> operations_per_pair{}, accesses_per_pair{};
  std::optional<MapOverflow> overflow{};  ///< small bins

  /// Evaluations per second that the CPU's multiply-add units allow its threads at the present clock; mixed precision
  /// with AVX.
  std::optional<double> limit{};

  /// Seconds to which rates refer: device time if known, else wall time.
  double seconds() const { return kernel_us.value_or(time_us) * 1e-6; }
};

/// Returns the names that MapBenchChoices::designs may contain, in the order of the rows.
std::vector<std::string_view> map_bench_designs();

/// Times every design that the choices allow for each form and size. Cases that would take too long, with more than
/// kMostMapEvaluations, are omitted. `show` receives each row when it is complete. Throws DeviceError for an explicit
/// `cuda` without a usable GPU, InputError for an unknown form, a cutoff that is too short, or a grid of more than
/// kMostMapPoints along an axis.
std::vector<MapBenchRow> bench_maps(const MapBenchChoices& choices, std::span<const std::size_t> sizes,
                                    const std::function<void(const MapBenchRow&)>& show);

/// Largest number of points along an axis: in three dimensions such a map takes half a terabyte.
inline constexpr std::int32_t kMostMapPoints = 4096;

/// Largest number of counted pairs of atom and point: some seconds on two cores, one or two on a GPU.
inline constexpr double kMostMapEvaluationsCpu = 2e10, kMostMapEvaluationsGpu = 4e12;

}  // namespace dropmd
