#pragma once

#include <cstdint>
#include <functional>
#include <optional>

#include "device/packet.cuh"
#include "engine/force_field.h"
#include "engine/persistent_shape.h"
#include "engine/step_sums.cuh"
#include "engine/step_view.cuh"
#include "engine/system.h"
#include "forces/device_pair_table.cuh"
#include "inputs/run_config.h"
#include "integrators/langevin.h"

namespace dropmd {

/// What a persistent kernel has beside a step's view.
struct PersistentView {
  Packet* position;  ///< [2][n_atoms] of the steps of even and odd tags, rounded, relative to the anchor
  Packet* rest;      ///< [2][n_atoms] what rounding left out
  std::uint64_t* fault_step;
  Vec3<double> anchor;
  PersistentShape shape;
  std::uint64_t recenter_every;  ///< 0: never
  bool mass_centre;
};

/// Steps of a small droplet by a kernel that stays on the device for all of them. Each block owns some atoms, whose
/// state it keeps in registers; in every step it publishes their positions, takes everybody's and sums the forces on
/// its own, without the third law: there is no barrier but the arrival of the positions. Mixed precision; velocity
/// Verlet and Langevin dynamics.
class PersistentSteps {
 public:
  /// Whether a run is made so on the method's device.
  static bool suits(const System& system, const RunConfig& config, const Method& method);

  /// anchor: about the middle of the droplet. Nothing but `cuda`'s stream has to outlive the constructor.
  PersistentSteps(const Cuda& cuda, const System& system, const RunConfig& config, const Vec3<double>& anchor);

  /// Makes the steps after `from` up to `to`, recentring included, from the complete step `from`, with its forces in
  /// the sums, to the complete step `to`. from = to: computes the forces only. d_sums: [blocks()] to be added up for
  /// the last step, `within` counting each pair twice; may be null.
  void make(const Cuda& cuda, const StepView<float>& step, std::int64_t from, std::int64_t to, StepSums* d_sums);
  std::uint32_t blocks() const { return view_.shape.blocks; }

  /// Forgets a fault, in stream order.
  void clear_fault();
  /// The first step that could not be made by make(), or nothing; waits.
  std::optional<std::int64_t> fault_step(const Cuda& cuda) const;

 private:
  std::uint32_t tag_ = 0;  ///< of the last step that was published
  Stream const* stream_;
  DevicePairTable<float> table_;
  DeviceBuffer<Packet> d_packets_;  ///< position, then rest
  DeviceBuffer<std::uint64_t> d_fault_step_;
  PersistentView view_{};
  std::function<void(const Cuda&, const StepView<float>&, const PersistentView&, std::uint32_t tag, std::int64_t from,
                     std::int64_t to, StepSums* d_sums)>
      launch_;
};

}  // namespace dropmd
