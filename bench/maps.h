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

/// What `dropmd bench map` computes: maps of the benchmark droplet (sc lattice, disorder 0.05 Å, charges ±0.2 e
/// alternating). Lengths in Å.
struct MapBenchChoices {
  Backend backend = Backend::automatic;  ///< automatic: the CPU, and the GPU if one is usable
  int device = 0;
  int threads = 1;
  std::optional<Precision> precision{};              ///< of the production sums; none: both
  std::vector<std::string> designs{};                ///< names of map_bench_designs; none: all
  std::vector<std::string> forms{"exact", "shift"};  ///< those of maps/map_model.h
  double density = 0.07;                             ///< atoms per Å³
  bool random = false;                               ///< places like a liquid's instead of the lattice
  double cutoff = 12;                                ///< of all forms but "exact"
  double spacing = 0.5;                              ///< of the grid
  std::optional<int> bin_capacity{};                 ///< of small bins; none: as many as 95% of the atoms need
  std::optional<std::int32_t> points{};              ///< along each axis; none: the droplet and 5 Å round it
};

/// One timed design on one map.
struct MapBenchRow {
  std::size_t n_atoms = 0;
  std::size_t n_points = 0;
  double spacing = 0;
  std::string form;
  std::optional<double> cutoff{};
  std::string design;
  Backend backend = Backend::cpu;
  std::string device_name{};
  Precision precision = Precision::mixed;
  double time_us = 0;                 ///< whole map with all that the host does, median wall time
  std::optional<double> kernel_us{};  ///< device time from the first kernel to the last
  double evaluations = 0;             ///< distances computed
  double within_cutoff = 0;           ///< pairs within the cutoff; of all atoms and points without one

  /// Published ones and the inner loop of the production kernels.
  std::optional<double> operations_per_pair{}, accesses_per_pair{};
  std::optional<MapOverflow> overflow{};  ///< small bins

  /// Evaluations a second that the CPU's multiply-add units allow its threads, at the clock of the moment; mixed
  /// precision with AVX.
  std::optional<double> limit{};

  /// What rates are per: the device's time if known, else the wall's.
  double seconds() const { return kernel_us.value_or(time_us) * 1e-6; }
};

/// The names that MapBenchChoices::designs may hold, in the order of the rows.
std::vector<std::string_view> map_bench_designs();

/// Times every design that the choices allow for each form and size. Left out is what would take too long: more than
/// kMostMapEvaluations. `show` sees each row as it is done. Throws DeviceError without a usable GPU for an explicit
/// `cuda`, InputError for an unknown form, a cutoff too short, or a grid of more than kMostMapPoints along an axis.
std::vector<MapBenchRow> bench_maps(const MapBenchChoices& choices, std::span<const std::size_t> sizes,
                                    const std::function<void(const MapBenchRow&)>& show);

/// Along an axis: maps of so many points in three dimensions have half a terabyte.
inline constexpr std::int32_t kMostMapPoints = 4096;

/// Pairs of atom and point that count, at most: some seconds on two cores, one or two on a GPU.
inline constexpr double kMostMapEvaluationsCpu = 2e10, kMostMapEvaluationsGpu = 4e12;

}  // namespace dropmd
