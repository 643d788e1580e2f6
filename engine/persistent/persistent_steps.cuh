#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>

#include "core/run/run_settings.h"
#include "device/communicator/peer_group.h"
#include "device/packet.cuh"
#include "device/pinned.cuh"
#include "engine/actions/action.h"
#include "engine/device/molecules/rigid_molecules.cuh"
#include "engine/device/step_sums.cuh"
#include "engine/device/step_view.cuh"
#include "engine/methods/method.h"
#include "engine/model/system.h"
#include "engine/persistent/persistent_shape.h"
#include "forces/pair/cuda/device_pair_table.cuh"
#include "integrators/langevin.h"

namespace dropmd {

/// What a persistent kernel knows about the other GPUs of its run.
struct PersistentPeers {
  static constexpr std::uint32_t kMost = 7;

  std::uint32_t first_block;                   ///< of this GPU, among those of all
  std::uint32_t n;                             ///< number of the others
  Packet *position[kMost], *low_order[kMost];  ///< of the others, as in PersistentView
  const std::uint32_t* abandoned;              ///< PeerGroup::word_of_abandon(); null: there are no others
  std::uint32_t* known;                        ///< in this GPU's memory: 1 once a kernel has found that word set

#if defined(__CUDACC__)
  /// Whether one of the others cannot go on, so that what it should publish will not come. looks: how often a wait has
  /// looked for it in vain. Each look at the memory of the host takes over a microsecond; once one of them has found
  /// the word set, all later waits, of which a launch may have tens of thousands, end soon.
  __device__ bool gone(std::uint32_t looks) const {
    constexpr std::uint32_t kSoon = 16, kLooks = 4096;
    if (abandoned == nullptr) return false;
    if (looks == kSoon) return *static_cast<const volatile std::uint32_t*>(known) != 0;
    if (looks % kLooks != 0 || *static_cast<const volatile std::uint32_t*>(abandoned) == 0) return false;
    *static_cast<volatile std::uint32_t*>(known) = 1;
    return true;
  }
#endif
};

/// The data of a persistent kernel besides a step's view.
struct PersistentView {
  /// [2][n_atoms], or [2][places of molecules], by parity of the tag: positions, rounded, relative to the anchor.
  Packet* position;
  Packet* low_order;  ///< likewise: their low-order parts
  std::uint64_t* fault_step;
  std::uint32_t* h_faulty;  ///< in host memory: becomes 1 at a fault
  Vec3<double> anchor;
  PersistentShape shape;
  std::uint64_t recenter_every;  ///< 0: never
  bool mass_centre;
  PersistentPeers peers;
};

/// What a block's lists consist of besides arrays, as one launch leaves it to the next.
struct KeptLists {
  std::uint32_t there;            ///< 0: there are no lists for the present order of the atoms
  std::uint32_t rows;             ///< in use in the near buffer
  std::uint32_t overfull;         ///< whether the near atoms do not fit
  std::uint32_t candidate_pairs;  ///< pairs, from both sides, in the block's lists
};

/// The additional data of a persistent kernel with lists.
struct PersistentListView {
  /// [2][blocks][flags_of_block] by parity of the tag; x: whether lists must be rebuilt.
  Packet* rebuild_flag;
  std::uint32_t* word;     ///< [blocks][atoms][list_words][32] rows of the near buffer, four in a word
  std::uint32_t* member;   ///< [blocks][rows][32] atoms of the near buffer; see NearBuffer
  std::uint32_t* n_words;  ///< [n_atoms] length of each list
  Vec3<double>* listed;    ///< [n_atoms] positions for which the lists were built
  KeptLists* kept;         ///< [blocks]
  PersistentListShape shape;
  float list_cutoff;  ///< cutoff + skin
  double max_move2;   ///< squared: if an atom has moved farther, the lists are stale
};

template <class Solver>
struct PersistentMolecules;

/// Steps of a small droplet by a persistent kernel: one launch performs many steps. Each block owns some atoms, whose
/// state it keeps in registers or in shared memory. In every step it publishes their positions, reads those of all
/// atoms and sums the forces on its own atoms, without using Newton's third law: the arrival of the positions is the
/// only synchronisation. It supports mixed precision with velocity Verlet and Langevin dynamics; its molecules are
/// rigid waters. The smallest droplets use all pairs; droplets of a few thousand atoms use lists with a skin, which
/// every block builds for its own atoms.
///
/// With all pairs, several GPUs that NVLink connects can perform the steps together: a block then publishes positions
/// in the memory of each GPU, and reads those in its own. After a launch PeerExchange completes the state of each GPU.
class PersistentSteps {
 public:
  /// Returns whether such steps suit a run on the method's device.
  static bool suits(const System& system, const RunSettings& config, const Method& method);

  /// Returns the device memory in bytes that such steps of a run need at most, on any device; nullopt if they suit the
  /// run on no device.
  static std::optional<std::uint64_t> most_bytes(const System& system, const Method& method);

  /// anchor: a point near the middle of the droplet. Only the stream of `cuda` must outlive the constructor.
  /// molecules: those of the run, if it has any; their arrays must outlive this object, and change with the order.
  /// peer: of a run on several GPUs, else null; it waits for the others.
  PersistentSteps(const Cuda& cuda, const System& system, const RunSettings& config, const Method& method,
                  const WholeMolecules& molecules, const Vec3<double>& anchor, const Peer* peer = nullptr);

  /// To be called when the atoms have changed places in memory: drops the lists, in stream order.
  void reordered() { d_kept_.zero(); }

  /// Sets the anchor, a point near the middle of the droplet, for steps from now on.
  void set_anchor(const Vec3<double>& anchor) { view_.anchor = anchor; }

  /// Returns whether make() performs an action within its steps.
  static bool supports(const Action& action) {
    const auto* centring = std::get_if<Recentring>(&action);
    return centring != nullptr && centring->which != Recenter::droplet;
  }

  /// Performs the steps after `from` up to `to`, with the actions that it supports: from the complete step `from`,
  /// whose forces are in the sums, to the complete step `to`. If from = to, it computes only the forces. d_sums:
  /// [n_sums()] sums of the last step, still to be added up, with `within` counting each pair twice; may be null. On
  /// several GPUs each then has its own().
  void make(const Cuda& cuda, const StepView<float>& step, std::int64_t from, std::int64_t to, StepSums* d_sums);
  std::uint32_t n_sums() const { return n_sums_; }
  /// What one of several GPUs has of the state after a launch.
  struct Own {
    std::uint32_t begin_block, end_block;
    std::uint32_t begin, end;  ///< atoms or, with molecules, places
    std::uint32_t begin_sum, end_sum;
    const std::uint32_t* at;  ///< [places] the atom of each, or RigidMolecules::kNoAtom; null: of atoms
  };
  const Own& own() const { return own_; }
  /// Where a fault is noted: its step, in device memory, and whether there is one, in host memory.
  std::uint64_t* fault_step_word() const { return d_fault_step_.data(); }
  std::uint32_t* faulty_word() const { return h_faulty_->get(); }

  /// Starts a copy of the number that candidate_pairs() returns, in stream order.
  void start_reading() const;
  /// Returns the number of pairs whose distance was computed for the last sums, each counted once; after a wait.
  std::uint64_t candidate_pairs() const;

  /// Clears a fault, in stream order; to be called while no steps are being performed.
  void clear_fault();
  /// Returns whether a step performed by make() had a fault; after a wait.
  bool faulty() const { return **h_faulty_ != 0; }
  /// Returns the first step that make() could not perform; nullopt: there is none. Waits.
  std::optional<std::int64_t> fault_step(const Cuda& cuda) const;

 private:
  /// Whether such steps suit a run on a device with enough multiprocessors, if its integrator and its molecules suit.
  static bool may_suit(const System& system, const Method& method);
  /// Whether the atoms neither form molecules that move as a whole nor have exclusions.
  static bool are_points(const System& system);
  /// Whether such steps suit these molecules with all pairs.
  static bool molecules_suit(const RigidMolecules& molecules, const Method& method);

  using Launch = std::function<void(const Cuda&, const StepView<float>&, const PersistentView&, std::uint32_t tag,
                                    std::int64_t from, std::int64_t to, StepSums* d_sums)>;

  Launch launch_all_pairs(const Cuda& cuda, const System& system, const Langevin& motion);
  Launch launch_molecules(const Cuda& cuda, const System& system, const RunSettings& config,
                          const WholeMolecules& whole);
  template <class Motion, class Solver>
  Launch launch_molecules(const Cuda& cuda, const System& system, const Motion& motion,
                          const PersistentMolecules<Solver>& molecules);
  /// Allocates packets for n atoms or places.
  void set_packets(std::size_t n);
  void meet(const Cuda& cuda, const Peer& peer);
  /// Divides n atoms, or places of molecules, in blocks of per_block among the GPUs. at: Own::at.
  void share_blocks(std::uint32_t per_block, std::uint32_t n, const std::uint32_t* at);
  Launch launch_lists(const Cuda& cuda, const System& system, const Langevin& motion, double skin);

  std::uint32_t n_atoms_;
  std::uint32_t multiprocessors_;  ///< that the run has
  std::uint32_t tag_ = 0;          ///< of the last published step
  std::uint32_t blocks_ = 0;       ///< of all GPUs
  std::uint32_t n_sums_ = 0;       ///< of all GPUs: one for each block, or for each group of atoms
  WorkShare share_;
  Own own_{};
  Stream const* stream_;
  DevicePairTable<float> table_;
  DeviceBuffer<Packet> d_packets_;  ///< positions, then their low-order parts
  DeviceBuffer<std::uint64_t> d_fault_step_;
  DeviceBuffer<std::uint32_t> d_known_;  ///< [1] of PersistentPeers
  std::unique_ptr<Pinned<std::uint32_t>> h_faulty_ = std::make_unique<Pinned<std::uint32_t>>();
  DeviceBuffer<Packet> d_rebuild_flag_;  ///< this and the next ones: for lists
  DeviceBuffer<std::uint32_t> d_word_, d_member_, d_n_words_;
  DeviceBuffer<Vec3<double>> d_listed_;
  DeviceBuffer<KeptLists> d_kept_;
  std::unique_ptr<Pinned<KeptLists>> h_kept_;  ///< [blocks]
  PersistentView view_{};
  Launch launch_;
};

}  // namespace dropmd
