#include <algorithm>

#include "device/shared_memory.cuh"
#include "engine/persistent/persistent_launch.cuh"
#include "engine/persistent/persistent_list_kernel.cuh"
#include "engine/persistent/persistent_steps.cuh"
#include "forces/pair/with_physics.h"

/// Launches persistent steps with lists.
namespace dropmd {

namespace {

/// Returns the bytes of shared memory of the buffer of near atoms.
std::size_t near_buffer_bytes(std::uint32_t rows) {
  return (rows + 1) * sizeof(persistent::NearRow) + 32 * rows * sizeof(std::uint32_t);
}

/// Returns the largest shared memory that the kernel declares.
constexpr std::size_t declared_bytes() {
  using namespace persistent;
  return sizeof(CentreSum) + sizeof(BlockAtoms) + BlockAtoms::kMost * sizeof(Vec3<float>) +
         kAnyWarps * sizeof(StepSums) + PersistentListShape::kMostWarps * 32 * sizeof(std::uint16_t) + 1536;
}

/// Returns the number of rows: as many as all atoms need, or as fit besides the memory that the kernel declares.
std::uint32_t rows_for(std::uint32_t n_atoms, int device) {
  const std::size_t room = most_shared_bytes(device) - declared_bytes() - near_buffer_bytes(0);
  return static_cast<std::uint32_t>(
      std::min({std::size_t{(n_atoms + 31) / 32}, std::size_t{PersistentListShape::kMostRows},
                room / (near_buffer_bytes(1) - near_buffer_bytes(0))}));
}

}  // namespace

PersistentSteps::Launch PersistentSteps::launch_lists(const Cuda& cuda, const System& system, const Langevin& motion,
                                                      double skin) {
  const int device = cuda.stream.device();
  PersistentListShape shape = PersistentListShape::for_atoms(n_atoms_, multiprocessors_);
  shape.rows = rows_for(n_atoms_, device);
  blocks_ = shape.blocks;
  n_sums_ = blocks_;
  set_packets(n_atoms_);
  d_rebuild_flag_.resize(2 * std::size_t{shape.blocks} * shape.flags_of_block());
  d_word_.resize(std::size_t{shape.blocks} * shape.atoms * shape.list_words() * 32);
  d_member_.resize(std::size_t{shape.blocks} * shape.rows * 32);
  d_n_words_.resize(n_atoms_);
  d_listed_.resize(n_atoms_);
  d_kept_.resize(shape.blocks);
  h_kept_ = std::make_unique<Pinned<KeptLists>>(shape.blocks);
  d_rebuild_flag_.zero();
  d_kept_.zero();
  const PersistentListView list{d_rebuild_flag_.data(),
                                d_word_.data(),
                                d_member_.data(),
                                d_n_words_.data(),
                                d_listed_.data(),
                                d_kept_.data(),
                                shape,
                                static_cast<float>(system.model.cutoff() + skin),
                                0.25 * skin * skin};
  Launch launch;
  with_meshless_physics<float, Limits::separate>(system.model, [&](const auto& physics) {
    const auto kernel = persistent_list_kernel<std::decay_t<decltype(physics)>>;
    const PersistentGrid grid{shape.blocks, 32 * shape.warps, near_buffer_bytes(shape.rows),
                              most_shared_bytes(device) - declared_bytes()};
    launch = persistent_launch(kernel, grid, table_.view(), physics, motion, list);
  });
  return launch;
}

}  // namespace dropmd
