#include "engine/estimate.h"

#include <fmt/core.h>

#include <chrono>
#include <optional>

#include "engine/device_run.h"
#include "engine/physics_guard.h"
#include "engine/skin.h"
#include "inputs/structure_file.h"

namespace dropmd {

namespace {

/// Host bytes an atom: state (80), forces and saved positions (48), grid and pair copy (about 72), what comes from a
/// GPU (100).
constexpr std::uint64_t kBytesPerAtom = 300;
/// Bytes of a row of energy.csv and of an atom in trajectory.xyz, at 17 digits.
constexpr std::uint64_t kBytesPerRow = 180;
constexpr std::uint64_t kBytesPerFrameAtom = 130;
/// The one in use, the one before, and one that is being written; on a GPU 190 bytes an atom, on a CPU 120.
constexpr std::uint64_t kCheckpoints = 3, kBytesPerCheckpointAtom = 190;
/// All pairs of more atoms than this are not tried: one evaluation would take minutes.
constexpr std::size_t kLargestTrial = 200'000;

std::uint64_t count_of(std::int64_t steps, std::int64_t every) {
  return every > 0 ? static_cast<std::uint64_t>(steps / every + 1) : 0;
}

struct Trial {
  double seconds = 0;
  std::uint64_t list_bytes = 0;
};

Trial timed_evaluation(const System& system, const Method& method) {
  ForceField force_field(system, method);
  std::vector<Vec3<double>> force(system.particles.size());
  force_field.evaluate(system.particles.position, force, Want::forces);  // first touch of memory and device
  const auto begin = std::chrono::steady_clock::now();
  force_field.evaluate(system.particles.position, force, Want::forces);
  return {std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count(), force_field.list_bytes()};
}

/// Steps on a GPU; nothing where the host makes them.
std::optional<double> timed_steps(const System& system, const RunConfig& config, const Method& method) {
  constexpr std::int64_t kWarmUp = 10, kTimed = 20;
  const auto run = make_device_run(system, config, method, 3 * system.particles.size());
  if (!run) return std::nullopt;
  run->upload(system.particles, 0);
  run->advance(kWarmUp, false);
  const DeviceRun::Progress progress = run->advance(kWarmUp + kTimed, false);
  if (progress.broken) return std::nullopt;
  return progress.seconds / kTimed;
}

std::string bytes_text(std::uint64_t bytes) {
  const auto b = static_cast<double>(bytes);
  if (b < 1e6) return fmt::format("{:.1f} kB", b / 1e3);
  return b < 1e9 ? fmt::format("{:.1f} MB", b / 1e6) : fmt::format("{:.1f} GB", b / 1e9);
}

std::string duration_text(double seconds) {
  if (seconds < 120) return fmt::format("{:.2g} s", seconds);
  if (seconds < 7200) return fmt::format("{:.0f} min", seconds / 60);
  return seconds < 172800 ? fmt::format("{:.1f} h", seconds / 3600) : fmt::format("{:.1f} days", seconds / 86400);
}

}  // namespace

Estimate estimate_run(const RunConfig& config) {
  const System system = build_system(config, read_structure_file(config.structure));
  PhysicsGuard(system).check_start();
  Estimate estimate;
  estimate.n_atoms = system.particles.size();
  estimate.method = with_fitting_skin(choose_method(config, system.model, estimate.n_atoms), system, config);
  estimate.memory = estimate.n_atoms * kBytesPerAtom;
  estimate.disk = count_of(config.steps, config.energy_every) * kBytesPerRow +
                  count_of(config.steps, config.trajectory_every) * estimate.n_atoms * kBytesPerFrameAtom +
                  (config.final_file.empty() ? 0 : estimate.n_atoms * kBytesPerFrameAtom) +
                  (config.checkpoint_every > 0 ? kCheckpoints * estimate.n_atoms * kBytesPerCheckpointAtom : 0);
  if (estimate.method.backend == Backend::cuda) estimate.device_memory = DeviceRun::bytes(system, estimate.method);
  if (estimate.method.neighbor != NeighborMethod::all_pairs || estimate.n_atoms <= kLargestTrial) {
    if (const std::optional<double> steps = timed_steps(system, config, estimate.method)) {
      estimate.seconds_per_step = *steps;
    } else {
      const Trial trial = timed_evaluation(system, estimate.method);
      estimate.seconds_per_step = trial.seconds;
      estimate.memory += trial.list_bytes;
    }
    estimate.seconds = estimate.seconds_per_step * static_cast<double>(config.steps + 1);
  }
  return estimate;
}

std::string describe(const Estimate& e) {
  const std::string time =
      e.seconds_per_step > 0
          ? fmt::format("{} ({} a step, timed)", duration_text(e.seconds), duration_text(e.seconds_per_step))
          : "not estimated: all pairs of this many atoms take minutes a step (give every term a cutoff)";
  return fmt::format(
      "# estimate\n# atoms:  {}\n# method: {}, {} precision, {}\n# memory: {} on the host{}\n# disk:   {}\n# time:   "
      "{}\n",
      e.n_atoms, e.method.device_name, word_of(e.method.precision), word_of(e.method.neighbor), bytes_text(e.memory),
      e.device_memory > 0 ? ", " + bytes_text(e.device_memory) + " on the GPU" : "", bytes_text(e.disk), time);
}

}  // namespace dropmd
