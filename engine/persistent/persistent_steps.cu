#include "engine/persistent/persistent_steps.cuh"

#include <algorithm>
#include <iterator>
#include <limits>
#include <vector>

#include "device/cub_scratch.h"
#include "device/shared_memory.cuh"
#include "engine/actions/action_list.h"
#include "engine/device/molecules/device_molecules.cuh"
#include "engine/model/pair_atoms.h"
#include "engine/molecules/motion_plans.h"
#include "engine/persistent/persistent_kernel.cuh"
#include "engine/persistent/persistent_launch.cuh"
#include "engine/persistent/persistent_warp_kernel.cuh"
#include "engine/persistent/with_motion.h"
#include "engine/physics_guard.h"
#include "forces/pair/with_physics.h"

namespace dropmd {

namespace {

/// Returns the integrator: velocity Verlet is Langevin dynamics without friction, bit for bit.
Langevin motion_of(const System& system, const RunSettings& config) {
  FormChoice choice = config.integrator;
  if (choice.form == VelocityVerlet::form().name)
    choice = {"langevin", {{"timestep", choice.at("timestep")}, {"temperature", 0}, {"friction", 0}}};
  return {choice, system.units, RunContext{config.random_seed, 0}};
}

/// Largest number of atoms of a block for which lists do not pay.
constexpr std::uint32_t kMostAtomsWithoutList = 16;

/// Returns the shared memory of a block: the positions of all atoms.
std::size_t shared_bytes(const PersistentShape& shape, std::uint32_t n_atoms) {
  return (shape.by_warp ? 4 : 2) * sizeof(LocalAtom<float>) * shape.slots(n_atoms);
}

/// Returns the kernel for blocks of this many atoms.
template <class Physics>
auto kernel_for(std::uint32_t atoms) {
  static_assert(PersistentShape::kLeastAtoms == 4 && std::size(PersistentShape::kAtoms) == 6);
  switch (atoms) {
    case 4:
      return persistent_steps_kernel<Physics, 1>;
    case 8:
      return persistent_steps_kernel<Physics, 2>;
    case 12:
      return persistent_steps_kernel<Physics, 3>;
    case 16:
      return persistent_steps_kernel<Physics, 4>;
    case 24:
      return persistent_steps_kernel<Physics, 6>;
    default:
      return persistent_steps_kernel<Physics, 8>;
  }
}

/// Returns the shared memory that a device allows for positions, besides the sums that the kernel declares.
std::size_t most_position_bytes(int device) {
  using namespace persistent;
  constexpr std::size_t kSums = sizeof(ForceSum) + sizeof(CentreSum) + kAnyWarps * sizeof(StepSums) + 1024;
  return most_shared_bytes(device) - kSums;
}

}  // namespace

bool PersistentSteps::may_suit(const System& system, const Method& method) {
  return method.precision == Precision::mixed && !system.model.born_mayer && system.terms.empty() &&
         system.particles.size() <= DeviceMolecules::kMostAccelerated;
}

bool PersistentSteps::are_points(const System& system) { return !moves_by_clusters(system) && n_excluded(system) == 0; }

std::optional<std::uint64_t> PersistentSteps::most_bytes(const System& system, const Method& method) {
  if (!may_suit(system, method)) return std::nullopt;
  const auto n_atoms = static_cast<std::uint32_t>(system.particles.size());
  constexpr auto kMultiprocessors = static_cast<std::uint32_t>(kMostMultiprocessors);
  const bool points = are_points(system);
  const std::optional<RigidMolecules> molecules = points ? std::nullopt : RigidMolecules::of(system);
  if (!points && !molecules) return std::nullopt;
  const std::uint64_t n_places = molecules ? molecules->at.size() * molecules->n_places : n_atoms;
  const std::uint64_t for_both = 4 * sizeof(Packet) * n_places +
                                 sizeof(std::uint64_t) +  // packets and the fault's step
                                 DevicePairTable<float>::bytes(system.model);
  if (molecules) return method.neighbor == NeighborMethod::all_pairs ? std::optional(for_both) : std::nullopt;
  if (method.neighbor == NeighborMethod::all_pairs)
    return n_atoms <= PersistentShape::kMostAtoms * kMultiprocessors ? std::optional(for_both) : std::nullopt;
  using Shape = PersistentListShape;
  constexpr std::uint32_t kMostOfBlock = Shape::kMostOfWarp * Shape::kMostWarps;
  const bool lists = method.neighbor == NeighborMethod::pair_list && method.skin > 0 &&
                     (method.list_form == ListForm::automatic || method.list_form == ListForm::persistent);
  if (!lists || n_atoms > kMostOfBlock * kMultiprocessors) return std::nullopt;
  // As many rows as all atoms need, though shared memory may hold fewer; the last block may have fewer atoms than the
  // others, but as much memory.
  const Shape shape{kMostOfBlock, Shape::kMostWarps, kMultiprocessors, std::min((n_atoms + 31) / 32, Shape::kMostRows)};
  const std::uint64_t words = 32 * std::uint64_t{shape.list_words()} * (n_atoms + kMostOfBlock);
  const std::uint64_t members = 32 * std::uint64_t{shape.blocks} * shape.rows;
  return for_both + sizeof(std::uint32_t) * (words + members + n_atoms) +
         sizeof(Vec3<double>) * std::uint64_t{n_atoms} +
         (sizeof(KeptLists) + 2 * sizeof(Packet) * shape.flags_of_block()) * std::uint64_t{shape.blocks};
}

bool PersistentSteps::suits(const System& system, const RunSettings& config, const Method& method) {
  if (!method.persistent || method.ranks != nullptr || !may_suit(system, method) || config.bath_acts_on_part() ||
      !has_persistent_motion(config))
    return false;
  const auto n_atoms = static_cast<std::uint32_t>(system.particles.size());
  const auto multiprocessors = static_cast<std::uint32_t>(multiprocessors_of(method));
  const auto gpus = static_cast<std::uint32_t>(method.gpus().size());
  if (gpus > 1 && (method.neighbor != NeighborMethod::all_pairs || gpus - 1 > PersistentPeers::kMost)) return false;
  if (!are_points(system)) {
    if (method.neighbor != NeighborMethod::all_pairs) return false;
    const std::optional<RigidMolecules> molecules = RigidMolecules::of(system);
    return molecules && molecules_suit(*molecules, method);
  }
  // The same on several GPUs, so that results do not depend on their number.
  const PersistentShape shape = PersistentShape::for_atoms(n_atoms, multiprocessors);
  const bool all_pairs_suit = shape.atoms <= PersistentShape::kMostAtoms &&
                              PersistentShape::groups(n_atoms) <= kMostPersistentSums &&
                              shared_bytes(shape, n_atoms) <= most_position_bytes(method.device);
  if (method.neighbor == NeighborMethod::all_pairs) return all_pairs_suit;
  const bool are_few = shape.atoms <= kMostAtomsWithoutList && all_pairs_suit;
  return method.neighbor == NeighborMethod::pair_list && method.skin > 0 && !are_few &&
         PersistentListShape::for_atoms(n_atoms, multiprocessors).suits();
}

PersistentSteps::PersistentSteps(const Cuda& cuda, const System& system, const RunSettings& config,
                                 const Method& method, const WholeMolecules& molecules, const Vec3<double>& anchor,
                                 const Peer* peer)
    : n_atoms_(static_cast<std::uint32_t>(system.particles.size())),
      multiprocessors_(static_cast<std::uint32_t>(multiprocessors_of(method))),
      share_(peer != nullptr ? peer->share() : WorkShare{}),
      stream_(&cuda.stream),
      table_(cuda.stream, system.model),
      d_packets_(cuda.stream),
      d_fault_step_(cuda.stream),
      d_known_(cuda.stream),
      d_rebuild_flag_(cuda.stream),
      d_word_(cuda.stream),
      d_member_(cuda.stream),
      d_n_words_(cuda.stream),
      d_listed_(cuda.stream),
      d_kept_(cuda.stream) {
  d_fault_step_.resize(1);
  clear_fault();
  view_ = {nullptr,
           nullptr,
           d_fault_step_.data(),
           h_faulty_->get(),
           anchor,
           PersistentShape::for_atoms(n_atoms_, multiprocessors_, share_.size),
           0,
           false,
           {}};
  const ActionList actions = actions_of(config, system);
  const auto* centring = actions.find<Recentring>();
  if (centring != nullptr && centring->which != Recenter::none && supports(*centring)) {
    view_.recenter_every = static_cast<std::uint64_t>(centring->every);
    view_.mass_centre = centring->which == Recenter::mass;
  }
  const Langevin motion = motion_of(system, config);
  if (!are_points(system))
    launch_ = launch_molecules(cuda, system, config, molecules);
  else if (method.neighbor == NeighborMethod::all_pairs)
    launch_ = launch_all_pairs(cuda, system, motion);
  else
    launch_ = launch_lists(cuda, system, motion, method.skin);
  if (peer != nullptr) meet(cuda, *peer);
}

void PersistentSteps::share_blocks(std::uint32_t per_block, std::uint32_t n, const std::uint32_t* at) {
  const std::uint32_t first = share_.first(blocks_), end = share_.end(blocks_);
  own_ = {first, end, std::min(n, first * per_block), std::min(n, end * per_block), first, end, at};
  n_sums_ = blocks_;
}

/// Learns where the others read positions.
void PersistentSteps::meet(const Cuda& cuda, const Peer& peer) {
  d_known_.resize(1);
  d_known_.zero();
  cuda.stream.synchronize("preparing persistent steps");  // before another GPU writes to the packets
  const std::vector<void*> position = peer.group.gather(peer.rank, view_.position),
                           low_order = peer.group.gather(peer.rank, view_.low_order);
  PersistentPeers& peers = view_.peers;
  peers.first_block = own_.begin_block;
  peers.abandoned = peer.group.word_of_abandon();
  peers.known = d_known_.data();
  for (std::uint32_t rank = 0; rank < peer.group.size(); ++rank) {
    if (rank == peer.rank) continue;
    peers.position[peers.n] = static_cast<Packet*>(position[rank]);
    peers.low_order[peers.n] = static_cast<Packet*>(low_order[rank]);
    ++peers.n;
  }
}

void PersistentSteps::set_packets(std::size_t n) {
  d_packets_.resize(4 * n);
  DROPMD_CUDA(cudaMemsetAsync(d_packets_.data(), 0, d_packets_.size() * sizeof(Packet), stream_->get()),
              "preparing persistent steps");
  view_.position = d_packets_.data();
  view_.low_order = d_packets_.data() + 2 * n;
}

PersistentSteps::Launch PersistentSteps::launch_all_pairs(const Cuda& cuda, const System& system,
                                                          const Langevin& motion) {
  const PersistentShape shape = view_.shape;
  blocks_ = shape.blocks;
  share_blocks(shape.atoms, n_atoms_, nullptr);
  n_sums_ = PersistentShape::groups(n_atoms_);
  own_.begin_sum = PersistentShape::groups(own_.begin);
  own_.end_sum = PersistentShape::groups(own_.end);
  set_packets(n_atoms_);
  Launch launch;
  with_meshless_physics<float, Limits::none, Limits::separate>(system.model, [&](const auto& physics) {
    using Physics = std::decay_t<decltype(physics)>;
    const auto kernel = shape.by_warp ? persistent_warp_kernel<Physics> : kernel_for<Physics>(shape.atoms);
    const PersistentGrid grid{own_.end_block - own_.begin_block, shape.threads, shared_bytes(shape, n_atoms_),
                              most_position_bytes(cuda.stream.device())};
    launch = persistent_launch(kernel, grid, table_.view(), physics, motion);
  });
  return launch;
}

void PersistentSteps::start_reading() const {
  if (h_kept_) d_kept_.store(*h_kept_);
}

std::uint64_t PersistentSteps::candidate_pairs() const {
  if (!h_kept_) return std::uint64_t{n_atoms_} * (n_atoms_ - 1) / 2;
  std::uint64_t from_both_sides = 0;
  for (const KeptLists& of_block : h_kept_->all()) from_both_sides += of_block.candidate_pairs;
  return from_both_sides / 2;
}

void PersistentSteps::make(const Cuda& cuda, const StepView<float>& step, std::int64_t from, std::int64_t to,
                           StepSums* d_sums) {
  launch_(cuda, step, view_, tag_ + 1, from, to, d_sums);
  tag_ += static_cast<std::uint32_t>(std::max<std::int64_t>(1, to - from));
}

void PersistentSteps::clear_fault() {
  **h_faulty_ = 0;
  DROPMD_CUDA(cudaMemsetAsync(d_fault_step_.data(), 0xFF, sizeof(std::uint64_t), stream_->get()),
              "clearing the step of a fault");
}

std::optional<std::int64_t> PersistentSteps::fault_step(const Cuda& cuda) const {
  std::uint64_t step = 0;
  d_fault_step_.download({&step, 1});
  cuda.stream.synchronize("reading the step of a fault");
  if (step == std::numeric_limits<std::uint64_t>::max()) return std::nullopt;
  return static_cast<std::int64_t>(step);
}

}  // namespace dropmd
