#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string_view>

#include "maps/map_model.h"

/// Published ways to compute potential maps on a GPU, to be benchmarked and tested against the production kernels
/// (docs/maps.md). All in plain fp32, sums too; they give no field and count no points near atoms.
namespace dropmd {

struct MapDesign {
  std::string_view name;
  bool has_cutoff;  ///< for the forms with a cutoff; else for "exact" alone
  /// Of the inner loop, per pair of atom and point that it meets: arithmetic operations (a multiply-add is two, a
  /// reciprocal root one, terms of a form other than 1/r not counted), and four-byte words read or written, wherever.
  double operations, accesses;
};

/// Every design; direct ones first.
std::span<const MapDesign> map_designs();

/// Atoms that found no place in the bins of a GPU and were left to the CPU.
struct MapOverflow {
  int capacity = 0;         ///< atoms a bin
  std::size_t n_atoms = 0;  ///< that were not there
  double share = 0;         ///< of the atoms near enough to matter
  double host_seconds = 0;  ///< wall time of the CPU's sum
  double hidden_share = 0;  ///< of that time, while the GPU computed
};

class DesignMapSum : public MapSum {
 public:
  /// Of the last map; nothing for designs without overflow.
  virtual std::optional<MapOverflow> overflow() const { return std::nullopt; }
};

/// bin_capacity: of "small-bins", atoms a bin; none: as many as 95% of the atoms need. cpu: for what the GPU leaves.
/// Throws InputError for an unknown name, a model the design does not take, or a capacity that memory does not hold;
/// DeviceError if the device cannot be used or this build has no CUDA.
std::unique_ptr<DesignMapSum> make_map_design(std::string_view name, int device, Cpu cpu, const MapModel& model,
                                              std::optional<int> bin_capacity = {});

/// The design of that name, if it takes the model; else throws InputError.
const MapDesign& require_map_design(std::string_view name, const MapModel& model);

}  // namespace dropmd
