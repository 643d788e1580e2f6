#include "engine/persistent_steps.cuh"

#include <algorithm>
#include <limits>

#include "device/device_info.h"
#include "device/shared_memory.cuh"
#include "engine/persistent_kernel.cuh"
#include "engine/persistent_warp_kernel.cuh"
#include "engine/physics_guard.h"
#include "forces/with_physics.h"
#include "integrators/velocity_verlet.h"

namespace dropmd {

namespace {

/// Velocity Verlet is Langevin dynamics without friction, to the last bit.
Langevin motion_of(const System& system, const RunConfig& config) {
  FormChoice choice = config.integrator;
  if (choice.form == VelocityVerlet::form().name)
    choice = {"langevin", {{"timestep", choice.at("timestep")}, {"temperature", 0}, {"friction", 0}}};
  return {choice, system.units, RunContext{config.random_seed, 0}};
}

std::uint32_t multiprocessors_of(int device) {
  return static_cast<std::uint32_t>(require_device(device).multiprocessors);
}

/// Shared memory of a block: everybody's positions.
std::size_t shared_bytes(const PersistentShape& shape, std::uint32_t n_atoms) {
  return (shape.by_warp() ? 4 : 2) * sizeof(LocalAtom<float>) * shape.places(n_atoms);
}

/// What a device allows for them, beside the sums that the kernel declares.
std::size_t most_position_bytes(int device) {
  using namespace persistent;
  constexpr std::size_t kSums = sizeof(ForceSum) + sizeof(CentreSum) + kMostWarps * sizeof(StepSums) + 1024;
  return most_shared_bytes(device) - kSums;
}

}  // namespace

bool PersistentSteps::suits(const System& system, const RunConfig& config, const Method& method) {
  if (method.precision != Precision::mixed || method.neighbor != NeighborMethod::all_pairs) return false;
  if (config.integrator.form != VelocityVerlet::form().name && config.integrator.form != Langevin::form().name)
    return false;
  const auto n_atoms = static_cast<std::uint32_t>(system.particles.size());
  const PersistentShape shape = PersistentShape::for_atoms(n_atoms, multiprocessors_of(method.device));
  return shape.atoms <= PersistentShape::kMostAtoms &&
         shared_bytes(shape, n_atoms) <= most_position_bytes(method.device);
}

PersistentSteps::PersistentSteps(const Cuda& cuda, const System& system, const RunConfig& config,
                                 const Vec3<double>& anchor)
    : stream_(&cuda.stream), table_(cuda.stream, system.model), d_packets_(cuda.stream), d_fault_step_(cuda.stream) {
  const std::size_t n_atoms = system.particles.size();
  const PersistentShape shape =
      PersistentShape::for_atoms(static_cast<std::uint32_t>(n_atoms), multiprocessors_of(cuda.stream.device()));
  d_packets_.resize(4 * n_atoms);
  d_fault_step_.resize(1);
  DROPMD_CUDA(cudaMemsetAsync(d_packets_.data(), 0, d_packets_.size() * sizeof(Packet), cuda.get()),
              "preparing persistent steps");
  clear_fault();
  view_ = {d_packets_.data(),
           d_packets_.data() + 2 * n_atoms,
           d_fault_step_.data(),
           anchor,
           shape,
           config.recenter == Recenter::none ? 0 : static_cast<std::uint64_t>(config.recenter_every),
           config.recenter == Recenter::mass};
  const Langevin motion = motion_of(system, config);
  with_physics<float, Limits::none, Limits::separate>(system.model, [&](const auto& physics) {
    using Physics = std::decay_t<decltype(physics)>;
    const auto kernel = shape.by_warp() ? persistent_warp_kernel<Physics> : persistent_steps_kernel<Physics>;
    const std::size_t bytes = shared_bytes(shape, static_cast<std::uint32_t>(n_atoms));
    // Of the kernel, not of this run: as much as any run may need.
    const auto most = static_cast<int>(most_position_bytes(cuda.stream.device()));
    DROPMD_CUDA(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, most),
                "preparing persistent steps");
    launch_ = [=, table = table_.view()](const Cuda& on, StepView<float> step, PersistentView view, std::uint32_t tag,
                                         std::int64_t from, std::int64_t to, StepSums* d_sums) {
      auto now = static_cast<std::uint64_t>(from), last = static_cast<std::uint64_t>(to);
      auto a = table;
      auto b = physics;
      auto c = motion;
      void* arguments[] = {&step, &a, &b, &c, &view, &tag, &now, &last, &d_sums};
      DROPMD_CUDA(cudaLaunchCooperativeKernel(kernel, dim3(view.shape.blocks), dim3(view.shape.threads), arguments,
                                              bytes, on.get()),
                  "making persistent steps");
    };
  });
}

void PersistentSteps::make(const Cuda& cuda, const StepView<float>& step, std::int64_t from, std::int64_t to,
                           StepSums* d_sums) {
  launch_(cuda, step, view_, tag_ + 1, from, to, d_sums);
  tag_ += static_cast<std::uint32_t>(std::max<std::int64_t>(1, to - from));
}

void PersistentSteps::clear_fault() {
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
