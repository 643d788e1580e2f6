#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string_view>

#include "maps/map_model.h"

/// Published methods to compute potential maps on a GPU, which are benchmarked and tested against the production
/// kernels (docs/maps.md). All are in plain fp32, including sums; they compute no field and do not count points near
/// atoms.
namespace dropmd {

struct MapDesign {
  std::string_view name;
  bool has_cutoff;  ///< for the forms with a cutoff; otherwise only for "exact"
  /// Of the inner loop, per pair of atom and point: arithmetic operations (a multiply-add counts two, a reciprocal root
  /// one, terms of forms other than 1/r are not counted), and four-byte words read or written in any memory.
  double operations, accesses;
};

/// Returns all designs; direct ones come first.
std::span<const MapDesign> map_designs();

/// Atoms that did not fit in the bins of a GPU and were left to the CPU.
struct MapOverflow {
  int capacity = 0;         ///< atoms per bin
  std::size_t n_atoms = 0;  ///< number of these atoms
  double share = 0;         ///< fraction of the atoms near enough to matter
  double host_seconds = 0;  ///< wall time of the CPU's sum
  double hidden_share = 0;  ///< fraction of that time during which the GPU computed
};

class DesignMapSum : public MapSum {
 public:
  /// Of the last map; nullopt for designs without overflow.
  virtual std::optional<MapOverflow> overflow() const { return std::nullopt; }
};

/// Constructs a design. bin_capacity: of "small-bins", in atoms; nullopt: as many as 95% of the atoms need. cpu: for
/// what the GPU leaves over. Throws InputError for an unknown name, a model that the design does not support, or a
/// capacity that does not fit in memory; DeviceError if the device cannot be used or this build has no CUDA.
std::unique_ptr<DesignMapSum> make_map_design(std::string_view name, int device, Cpu cpu, const MapModel& model,
                                              std::optional<int> bin_capacity = {});

/// Returns the design of that name; throws InputError if it does not support the model.
const MapDesign& require_map_design(std::string_view name, const MapModel& model);

}  // namespace dropmd
