#include "engine/jobs/estimate.h"

#include <fmt/core.h>

#include <algorithm>
#include <chrono>
#include <optional>

#include "engine/bytes_text.h"
#include "engine/device/device_run.h"
#include "engine/droplet/atom_groups.h"
#include "engine/force_field.h"
#include "engine/jobs/run_warnings.h"
#include "engine/ledger/causes.h"
#include "engine/map_observer.h"
#include "engine/mesh_fit.h"
#include "engine/methods/catalogue.h"
#include "engine/methods/method_rule.h"
#include "engine/model/coulomb_division.h"
#include "engine/model/invariance.h"
#include "engine/model/origins.h"
#include "engine/model/system.h"
#include "engine/molecules/constrained_start.h"
#include "engine/molecules/molecules.h"
#include "engine/outer_step_rules.h"
#include "engine/physics_guard.h"
#include "forces/mesh/mesh_potential.h"
#include "inputs/run_file/run_config.h"
#include "outputs/maps/map_file.h"
#include "outputs/structures/extended_xyz.h"
#include "outputs/trajectories/trajectory_file.h"

namespace dropmd {

namespace {

/// Host bytes per atom: state (80), forces and saved positions (48), grid and local positions (about 72), copies from a
/// GPU (100).
constexpr std::uint64_t kBytesPerAtom = 300;
/// Bytes of a row of energy.csv, at 17 digits.
constexpr std::uint64_t kBytesPerRow = 180;
/// Bytes of a row of ledger.csv, and of the column that energy.csv then has.
constexpr std::uint64_t kBytesPerLedgerRow = 150;
/// Checkpoints on disk: the latest, the previous one, and one being written; 190 bytes per atom on a GPU, 120 on a CPU.
constexpr std::uint64_t kCheckpoints = 3, kBytesPerCheckpointAtom = 190;
/// Host bytes per point of a map: its values and, for an average, the sum, the average and its copy for a checkpoint.
/// On disk: as text, the longest format, and for an average in checkpoints.
constexpr std::uint64_t kBytesPerPoint = 8, kBytesPerPointOfAverage = 40;
constexpr std::uint64_t kDiskPerPoint = 20, kDiskPerPointInCheckpoint = 8;
/// Device bytes per point: at most two slabs of that many points.
constexpr std::uint64_t kDevicePerPoint = 16, kMostPointsOnDevice = std::uint64_t{1} << 23U;
/// Number of planes of a map that are timed; none are if they have more points, or more pairs with atoms in direct
/// summation, than this.
constexpr std::int32_t kSlabPlanes = 16;
constexpr double kMostSlabPoints = 2e7, kMostSlabPairs = 2e10;
/// With more atoms all pairs are not timed: one evaluation would take minutes.
constexpr std::size_t kLargestTrial = 200'000;

std::uint64_t count_of(std::int64_t steps, std::int64_t every) {
  return every > 0 ? static_cast<std::uint64_t>(steps / every + 1) : 0;
}

std::uint64_t trajectory_bytes(const RunConfig& config, std::size_t n_atoms) {
  const std::uint64_t n_frames = count_of(config.steps, config.trajectory_every);
  return n_frames > 0 ? n_frames * trajectory_format(config.trajectory_file).frame_bytes(n_atoms) : 0;
}

struct Trial {
  double seconds = 0;
  std::uint64_t list_bytes = 0;
};

Trial timed_evaluation(const System& system, const Method& method) {
  ForceField force_field(system, method);
  std::vector<Vec3<double>> force(system.particles.size());
  force_field.evaluate({system.particles.position}, Want::forces, force);  // first touch of memory and device
  const auto begin = std::chrono::steady_clock::now();
  force_field.evaluate({system.particles.position}, Want::forces, force);
  for (std::int64_t inner = 1; inner < system.outer.every; ++inner)
    force_field.evaluate_fast({system.particles.position}, force);
  const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  return {seconds / static_cast<double>(system.outer.every), force_field.bytes()};
}

/// Returns the time of steps on a GPU; nullopt if the host performs them.
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

/// Returns the time of a slab through the middle, where most atoms are.
double timed_map(const System& system, const RunConfig& config, const Method& method, const MapGrid& grid) {
  const MapChoices& choices = config.map->choices;
  MapGrid slab = grid;
  slab.points.z = std::min(grid.points.z, kSlabPlanes);
  slab.origin.z = grid.at(0, 0, (grid.points.z - slab.points.z) / 2).z;
  const auto points = static_cast<double>(slab.n_points());
  const double pairs = points * static_cast<double>(system.particles.size());
  if (points > kMostSlabPoints || (choices.method() == MapMethod::direct && pairs > kMostSlabPairs)) return 0;
  const auto sum = make_map_sum(map_method(method, config), map_model_of(config, system));
  const MapCharges charges{system.particles.position, system.particles.charge};
  sum->compute({slab.origin, slab.spacing, {1, 1, 1}}, charges);  // first touch of memory and device
  const auto begin = std::chrono::steady_clock::now();
  sum->compute(slab, charges);
  const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  return seconds * grid.points.z / slab.points.z;
}

void add_map_mesh(Estimate& estimate, const System& system, const RunConfig& config, const MapModel& model) {
  const Method method = map_method(estimate.method, config);
  const MapMeshPlan plan =
      map_mesh_plan(method, model, estimate.map_grid, {system.particles.position, system.particles.charge});
  estimate.map_mesh = describe(plan, method, system.units);
  estimate.seconds_per_map = map_seconds(plan, method);
  if (estimate.device_memory > 0)
    estimate.device_memory += map_mesh_device_bytes(plan.box, method.precision);
  else
    estimate.memory += MeshPotential::bytes(plan.box.points);
}

void add_maps(Estimate& estimate, const System& system, const RunConfig& config) {
  require_map_format(config.map->file);
  estimate.maps = count_of(config.steps, config.map->every);
  estimate.map_grid = first_map_grid(config, system.particles.position);
  const std::uint64_t n_points = estimate.map_grid.n_points();
  const bool average = config.map->average;
  estimate.memory += n_points * (kBytesPerPoint + (average ? kBytesPerPointOfAverage : 0));
  estimate.disk += n_points * kDiskPerPoint * (average ? 2 : 1);
  if (average && makes_checkpoints(config)) estimate.disk += kCheckpoints * n_points * kDiskPerPointInCheckpoint;
  if (estimate.device_memory > 0) estimate.device_memory += std::min(n_points, kMostPointsOnDevice) * kDevicePerPoint;
  if (const MapModel model = map_model_of(config, system); model.mesh)
    add_map_mesh(estimate, system, config, model);
  else
    estimate.seconds_per_map = timed_map(system, config, estimate.method, estimate.map_grid);
}

std::string duration_text(double seconds) {
  if (seconds < 120) return fmt::format("{:.2g} s", seconds);
  if (seconds < 7200) return fmt::format("{:.0f} min", seconds / 60);
  return seconds < 172800 ? fmt::format("{:.1f} h", seconds / 3600) : fmt::format("{:.1f} days", seconds / 86400);
}

}  // namespace

Estimate estimate_run(const RunConfig& config) {
  Structure structure = read_structure(config);
  const std::shared_ptr<const MolecularModel> molecules = read_molecules(config, structure);
  System system = build_system(config, structure, molecules);
  satisfy_constraints(system, system.particles.position, system.particles.velocity);
  set_first_groups(system, config, std::nullopt);
  require_outer_steps(config, system, 0, 0);
  PhysicsGuard(system).check_start();
  Estimate estimate;
  estimate.in_effect = values_in_effect(config, structure, system);
  estimate.warnings = system.warnings;
  for (std::string& warning : run_warnings(config, system)) estimate.warnings.push_back(std::move(warning));
  estimate.invariance = invariance_of(system);
  estimate.n_atoms = system.particles.size();
  estimate.fields = system.fields;
  estimate.method = choose_by_rule(config, system);
  const bool timed = needs_cutoff(estimate.method.neighbor) || estimate.n_atoms <= kLargestTrial;
  if (timed)
    estimate.mesh = fit_mesh(system, config, estimate.method);
  else if (system.mesh)
    estimate.mesh = {describe_mesh(system, estimate.method.backend)};
  estimate.memory = estimate.n_atoms * kBytesPerAtom;
  const CauseSet causes = causes_of(config, system);
  estimate.disk = count_of(config.steps, config.energy_every) * kBytesPerRow +
                  (causes.any() ? count_of(config.steps, config.energy_every) * kBytesPerLedgerRow : 0) +
                  trajectory_bytes(config, estimate.n_atoms) +
                  (config.final_file.empty() ? 0 : estimate.n_atoms * kXyzBytesPerAtom) +  // the longest format
                  (makes_checkpoints(config) ? kCheckpoints * estimate.n_atoms * kBytesPerCheckpointAtom : 0);
  estimate.device_memory = device_bytes(system, estimate.method);
  if (estimate.device_memory > 0)
    estimate.device_memory += ledger_device_bytes(atom_causes_of(config, system), estimate.n_atoms);
  if (timed) {
    if (const std::optional<double> steps = timed_steps(system, config, estimate.method)) {
      estimate.seconds_per_step = *steps;
    } else {
      const Trial trial = timed_evaluation(system, estimate.method);
      estimate.seconds_per_step = trial.seconds;
      estimate.memory += trial.list_bytes;
    }
    estimate.seconds = estimate.seconds_per_step * static_cast<double>(config.steps + 1);
  }
  if (makes_maps(config)) {
    add_maps(estimate, system, config);
    estimate.seconds += estimate.seconds_per_map * static_cast<double>(estimate.maps);
  }
  return estimate;
}

std::string describe(const Estimate& e) {
  std::string time =
      e.seconds_per_step > 0
          ? fmt::format("{} ({} a step, timed)", duration_text(e.seconds), duration_text(e.seconds_per_step))
          : "not estimated: all pairs of this many atoms take minutes a step (give every term a cutoff)";
  if (e.maps > 0 && !(e.seconds_per_map > 0)) time += ", plus the time of the maps";
  std::string mesh;
  for (const std::string& line : e.mesh) mesh += "# " + line + '\n';
  const Vec3<std::int32_t>& n = e.map_grid.points;
  const std::string maps =
      e.maps == 0 ? ""
                  : fmt::format("# maps:   {} of {} x {} x {} points{}\n{}", e.maps, n.x, n.y, n.z,
                                e.seconds_per_map > 0 ? fmt::format(", {} each, {}", duration_text(e.seconds_per_map),
                                                                    e.map_mesh.empty() ? "timed" : "by a cost model")
                                                      : ", not timed: each takes minutes",
                                e.map_mesh.empty() ? "" : "# maps:   " + e.map_mesh + '\n');
  return fmt::format(
             "# estimate\n# atoms:  {}\n# method: {}, {} precision, {}\n# memory: {} on the host{}\n# disk:   "
             "{}\n{}{}# "
             "time:   "
             "{}\n",
             e.n_atoms, e.method.device_name, word_of(e.method.precision), word_of(e.method.neighbor),
             bytes_text(e.memory), e.device_memory > 0 ? ", " + bytes_text(e.device_memory) + " on the GPU" : "",
             bytes_text(e.disk), mesh, maps, time) +
         e.in_effect;
}

}  // namespace dropmd
