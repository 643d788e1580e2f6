#include "engine/library/simulation.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "core/errors.h"
#include "core/timings.h"
#include "engine/droplet/atom_groups.h"
#include "engine/droplet/follow_droplet.h"
#include "engine/methods/make_method_source.h"
#include "engine/methods/method_rule.h"
#include "engine/model/invariance.h"
#include "engine/model/possible_atoms.h"
#include "engine/model/possible_settings.h"
#include "engine/molecules/constrained_start.h"
#include "engine/outer_step_rules.h"
#include "engine/physics_guard.h"
#include "engine/step_loop.h"
#include "inputs/run_file/run_config.h"
#include "integrators/integrator.h"

namespace dropmd {

namespace {

/// There is no run file: members that refer to places in it, for messages, stay empty.
RunConfig config_of(const RunSettings& settings) {
  RunConfig config;
  static_cast<RunSettings&>(config) = settings;
  config.steps = std::numeric_limits<std::int64_t>::max();
  return config;
}

}  // namespace

/// The loop refers to the other members, so the whole is allocated on the heap and never moves.
struct Simulation::Parts {
  Parts(System given, const RunSettings& settings)
      : system(std::move(given)), config(config_of(settings)), method(choose_by_rule(config, system)) {
    for (std::string& warning : motion_warnings(settings, system))
      if (std::find(system.warnings.begin(), system.warnings.end(), warning) == system.warnings.end())
        system.warnings.push_back(std::move(warning));  // else it is the system of another simulation
    start(nullptr);
  }

  /// Begins a new loop from a state; null: from the system at step 0.
  void start(const RunState* from) {
    loop.reset();  // frees its memory first
    const std::optional<DropletState> droplet_from = from != nullptr ? from->droplet : std::nullopt;
    set_first_groups(system, config, droplet_from);
    loop.emplace(system, config, method, timings, source(), from);
    loop->on_segment([this] {
      method = choose_by_rule(config, system);
      return StepLoop::SegmentMethod{method, source()};
    });
    loop->check_mesh(MeshCheck([](std::int64_t, const std::string&) {}));
    loop->on_booking([this](const PopulationBooking& booking) { booked = booking; });
    if (config.droplet) label_clusters(droplet_from);
  }

  void label_clusters(const std::optional<DropletState>& from) {
    auto observer = std::make_unique<DropletObserver>(DropletWatch(system, config, from), config.droplet->every,
                                                      std::nullopt, timings);
    observer->on_event([this](const DropletEvent& event) { events.push_back(event); });
    droplet = observer.get();
    follow_droplet(std::move(observer), config, *loop, OnceDry::goes_on);
  }

  std::unique_ptr<MethodSource> source() {
    const auto say_nothing = [](std::int64_t, const std::string&, const std::string&) {};
    return make_method_source(config, method, system, {}, tuner_policy(method.backend), say_nothing);
  }

  /// Returns the loop; throws std::logic_error after a failure that has left it between two steps.
  StepLoop& whole() {
    if (failed)
      throw std::logic_error(
          "a call has failed, so this simulation is between two steps (restore a state that was taken before, in "
          "Python with Simulation.load)");
    return *loop;
  }

  /// Does work whose failure leaves the loop between two steps.
  template <class Work>
  auto guarded(const Work& work) {
    StepLoop& now = whole();
    failed = true;
    const auto result = work(now);
    failed = false;
    return result;
  }

  /// Returns the booking of the change; without removed or added atoms nothing is booked.
  PopulationBooking change_population(const PopulationChange& change, Cause cause) {
    changed(system, change);  // throws if the change itself is wrong
    return change_with(cause, [&](StepLoop& now) { now.change_population(change); });
  }

  /// Returns the booking of a change of the atoms.
  template <class Change>
  PopulationBooking change_with(Cause cause, const Change& change) {
    booked = {.step = whole().step(), .cause = cause};
    try {
      change(*loop);
    } catch (const PhysicsError&) {  // found before anything is changed
      throw;
    } catch (...) {
      failed = true;
      throw;
    }
    return booked;
  }

  /// Ensures that step 0 is complete: it recentres the atoms and satisfies constraints.
  void begin() {
    guarded([](StepLoop& now) { return now.run_to(now.step(), never); });
  }

  /// Returns the system with positions and velocities of the present step.
  const System& present() {
    whole().fetch();
    return system;
  }

  /// Ensures that forces and energies of the present state are known.
  StepLoop& complete() {
    return *guarded([](StepLoop& now) {
      now.run_to(now.step(), never);
      now.complete();
      return &now;
    });
  }

  /// Returns the present state.
  RunState state() {
    RunState state = complete().state();
    if (config.droplet) state.droplet = droplet->state();
    return state;
  }

  /// Returns the energies of the present state.
  const EnergyRow& energies() {
    return *guarded([](StepLoop& now) {
      now.run_to(now.step(), never);
      now.find_energies();
      return &now.energies();
    });
  }

  /// Sets positions or velocities from outside, and drops what depends on the old ones.
  template <class Field>
  void set(std::span<const Vec3<double>> values) {
    if (values.size() != system.particles.size())
      throw std::invalid_argument(std::to_string(values.size()) + " values of '" + std::string(Field::kName) +
                                  "' for " + std::to_string(system.particles.size()) + " atoms (give one for each)");
    RunState state = this->state();
    Field::of(state).assign(values.begin(), values.end());
    if constexpr (std::is_same_v<Field, field::Position>)
      satisfy_constraints(system, state.position, state.velocity);
    else
      constrain_velocities(system, state.position, state.velocity);
    state.force.clear();
    state.list_positions.clear();
    state.device = {};
    continue_from(state);
  }

  /// Continues from a state of these atoms, or, if that is not possible, from the present one, if there is one, and
  /// throws.
  void continue_from(const RunState& next) {
    std::optional<RunState> before;
    if (!failed) before = state();
    try {
      begin_at(next);
    } catch (...) {
      failed = true;
      if (before) begin_at(*before);
      throw;
    }
  }

  /// Throws PhysicsError for a state from which no step can be made.
  void begin_at(const RunState& state) {
    bool fits = true;
    for_each_field<IsMoving>(
        [&]<class Field>(Field) { fits = fits && Field::of(state).size() == system.particles.size(); });
    if (fits) {  // else the loop refuses it
      for_each_field<IsMoving>([&]<class Field>(Field) { Field::of(system.particles) = Field::of(state); });
      PhysicsGuard(system).check_start(state.step, time_of(state.step));
    }
    start(&state);
    failed = false;
    complete();
  }

  double time_of(std::int64_t step) const {
    if (is_minimizer(config.integrator)) return 0;
    return static_cast<double>(step) * config.integrator.at("timestep");
  }

  static bool never() { return false; }

  System system;
  RunConfig config;
  Timings timings;
  Method method;
  std::optional<StepLoop> loop;
  DropletObserver* droplet = nullptr;  ///< of the loop; null: there are no labels of clusters
  std::vector<DropletEvent> events;    ///< not taken yet
  PopulationBooking booked;            ///< last booking
  bool failed = false;                 ///< the loop is between two steps, or there is none
};

Simulation::Simulation(System system, const RunSettings& settings) {
  require_possible_system(system);
  require_possible_run(settings, system.units.system);
  parts_ = std::make_unique<Parts>(std::move(system), settings);
}
Simulation::~Simulation() = default;
Simulation::Simulation(Simulation&&) noexcept = default;
Simulation& Simulation::operator=(Simulation&&) noexcept = default;

bool Simulation::step(std::int64_t n, const std::function<bool()>& stop) {
  if (n < 0) throw std::invalid_argument("the number of steps is negative (it must be at least 0)");
  if (n > std::numeric_limits<std::int64_t>::max() - step_number())
    throw std::invalid_argument("more steps than a run can count");
  require_outer_step(parts_->system.outer, step_number() + n, "the last");
  return parts_->guarded([&](StepLoop& loop) { return loop.run_to(loop.step() + n, stop) == RunEnd::converged; });
}

std::int64_t Simulation::step_number() const { return parts_->whole().step(); }
double Simulation::time() const { return parts_->whole().time(); }
std::size_t Simulation::n_atoms() const { return parts_->system.particles.size(); }

std::span<const Vec3<double>> Simulation::positions() const { return parts_->present().particles.position; }
std::span<const Vec3<double>> Simulation::velocities() const { return parts_->present().particles.velocity; }
std::span<const Vec3<double>> Simulation::forces() { return parts_->complete().force(); }
Energies Simulation::energies() { return parts_->energies().energies; }
double Simulation::temperature() { return parts_->energies().temperature; }
Ledger Simulation::ledger() { return parts_->energies().ledger; }
double Simulation::conserved() {
  const EnergyRow& row = parts_->energies();
  return row.conserved().value_or(row.energies.total());
}
ClusterCensus Simulation::clusters(std::optional<double> distance) const {
  if (distance && !(std::isfinite(*distance) && *distance > 0))
    throw std::invalid_argument("the link distance is " + std::to_string(*distance) +
                                " (it must be a length greater than 0)");
  const System& present = parts_->present();
  const DropletSettings settings = parts_->config.droplet.value_or(DropletSettings{});
  return census_of(molecules_of(present), present.particles,
                   distance.value_or(link_distance(settings, present.units.system)));
}
std::vector<DropletEvent> Simulation::take_events() { return std::exchange(parts_->events, {}); }
const System& Simulation::system() const { return parts_->present(); }
std::optional<DeviceArrays> Simulation::device_arrays() { return parts_->whole().device_arrays(); }

void Simulation::set_positions(std::span<const Vec3<double>> positions) { parts_->set<field::Position>(positions); }
void Simulation::set_velocities(std::span<const Vec3<double>> velocities) { parts_->set<field::Velocity>(velocities); }

PopulationBooking Simulation::remove(std::span<const std::uint32_t> ids) {
  return parts_->change_population({.removed = {ids.begin(), ids.end()}}, Cause::removed);
}

PopulationBooking Simulation::add(std::span<const NewAtom> atoms) {
  return parts_->change_population({.added = {atoms.begin(), atoms.end()}}, Cause::added);
}

PopulationBooking Simulation::add_molecules(std::span<const NewMolecule> molecules) {
  parts_->begin();
  ChangedMolecules next = with_added(parts_->present(), molecules);  // throws if the change itself is wrong
  return parts_->change_with(Cause::added, [&](StepLoop& now) { now.change_molecules(std::move(next)); });
}

PopulationBooking Simulation::replace(std::span<const MoleculeReplacement> replacements) {
  parts_->begin();
  ChangedMolecules next = replaced(parts_->present(), replacements);  // throws if the change itself is wrong
  return parts_->change_with(Cause::added, [&](StepLoop& now) { now.change_molecules(std::move(next)); });
}

RunState Simulation::state() { return parts_->state(); }

void Simulation::restore(const RunState& state) {
  parts_->continue_from(state);
  parts_->events.clear();
}

}  // namespace dropmd
