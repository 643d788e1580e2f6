#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>

#include "core/run/run_settings.h"
#include "device/packet.cuh"
#include "device/pinned.cuh"
#include "engine/actions/action.h"
#include "engine/device/step_sums.cuh"
#include "engine/device/step_view.cuh"
#include "engine/methods/method.h"
#include "engine/model/system.h"
#include "engine/persistent/persistent_shape.h"
#include "forces/pair/cuda/device_pair_table.cuh"
#include "integrators/langevin.h"

namespace dropmd {

/// What a persistent kernel has beside a step's view.
struct PersistentView {
  Packet* position;   ///< [2][n_atoms] of the steps of even and odd tags, rounded, relative to the anchor
  Packet* low_order;  ///< [2][n_atoms] their low-order parts
  std::uint64_t* fault_step;
  Vec3<double> anchor;
  PersistentShape shape;
  std::uint64_t recenter_every;  ///< 0: never
  bool mass_centre;
};

/// And what it has where it keeps lists of the pairs within reach.
struct PersistentListView {
  Packet* rebuild_flag;  ///< [2][blocks][flags_of_block] of the steps of even and odd tags: x: whether lists must be
                         ///< rebuilt
  std::uint32_t* word;   ///< [blocks][atoms][list_words][32] rows of the near buffer, four in a word
  std::uint32_t*
      candidate_pairs;  ///< [blocks] pairs in the lists of the last step whose sums were wanted, from both sides
  PersistentListShape shape;
  float reach;       ///< cutoff + skin
  double max_move2;  ///< squared: an atom that has moved farther since makes the lists stale
};

/// Steps of a small droplet by a persistent kernel: one launch makes many. Each block owns some atoms, whose
/// state it keeps in registers; in every step it publishes their positions, takes those of all atoms and sums the
/// forces on its own, without the third law: there is no barrier but the arrival of the positions. Mixed precision;
/// velocity Verlet and Langevin dynamics. All pairs of the smallest droplets; of some thousand atoms those of lists
/// with a skin, which every block makes of its own.
class PersistentSteps {
 public:
  /// Whether a run is made so on the method's device.
  static bool suits(const System& system, const RunSettings& config, const Method& method);

  /// Of the atoms' packets; and of lists with as many rows as a block may have.
  static std::uint64_t bytes(std::uint64_t n_atoms) { return 4 * sizeof(Packet) * n_atoms; }
  static std::uint64_t list_bytes(std::uint64_t n_atoms) {
    const PersistentListShape longest{0, 0, 0, PersistentListShape::kMostRows};
    return 32 * sizeof(std::uint32_t) * longest.list_words() * n_atoms;
  }

  /// anchor: about the middle of the droplet. Nothing but `cuda`'s stream has to outlive the constructor.
  PersistentSteps(const Cuda& cuda, const System& system, const RunSettings& config, const Method& method,
                  const Vec3<double>& anchor);

  /// For steps made from now on: about the middle of the droplet.
  void set_anchor(const Vec3<double>& anchor) { view_.anchor = anchor; }

  /// Whether make() carries out an action within its steps.
  static bool supports(const Action& action) { return std::holds_alternative<Recentring>(action); }

  /// Makes the steps after `from` up to `to`, with the actions that it supports, from the complete step `from`, with
  /// its forces in the sums, to the complete step `to`. from = to: computes the forces only. d_sums: [blocks()] to be
  /// added up for the last step, `within` counting each pair twice; may be null.
  void make(const Cuda& cuda, const StepView<float>& step, std::int64_t from, std::int64_t to, StepSums* d_sums);
  std::uint32_t blocks() const { return blocks_; }

  /// Starts a copy of what candidate_pairs() says, in stream order.
  void start_reading() const;
  /// Pairs whose distance was computed for the last sums, each once; after a wait.
  std::uint64_t candidate_pairs() const;

  /// Forgets a fault, in stream order.
  void clear_fault();
  /// The first step that could not be made by make(), or nothing; waits.
  std::optional<std::int64_t> fault_step(const Cuda& cuda) const;

 private:
  using Launch = std::function<void(const Cuda&, const StepView<float>&, const PersistentView&, std::uint32_t tag,
                                    std::int64_t from, std::int64_t to, StepSums* d_sums)>;

  Launch launch_all_pairs(const Cuda& cuda, const System& system, const Langevin& motion);
  Launch launch_lists(const Cuda& cuda, const System& system, const Langevin& motion, double skin);

  std::uint32_t n_atoms_;
  std::uint32_t tag_ = 0;  ///< of the last step that was published
  std::uint32_t blocks_ = 0;
  Stream const* stream_;
  DevicePairTable<float> table_;
  DeviceBuffer<Packet> d_packets_;  ///< positions, then their low-order parts
  DeviceBuffer<std::uint64_t> d_fault_step_;
  DeviceBuffer<Packet> d_rebuild_flag_;  ///< this and the next two: of lists
  DeviceBuffer<std::uint32_t> d_word_;
  DeviceBuffer<std::uint32_t> d_candidate_pairs_;
  std::unique_ptr<Pinned<std::uint32_t>> h_candidate_pairs_;  ///< [blocks]
  PersistentView view_{};
  Launch launch_;
};

}  // namespace dropmd
