#pragma once

#include <limits>
#include <memory>
#include <vector>

#include "engine/causes.h"
#include "engine/device/device_ledger.cuh"
#include "engine/device/device_state.cuh"
#include "engine/device/device_terms.cuh"
#include "engine/device/step_view.cuh"
#include "engine/methods/method_parameters.h"
#include "engine/physics_guard.h"
#include "forces/pair/cuda/device_pairs.cuh"

namespace dropmd {

/// The atoms of a run on the device and what finds the forces on them: what the parts of a run work on together.
template <class Real>
struct DeviceAtoms {
  /// anchor: near most of the atoms. is_accelerated: forces come from an accelerator (StepMaker), which finds the pairs
  /// itself.
  DeviceAtoms(const System& system, const RunSettings& config, const Method& method, const Vec3<double>& anchor,
              bool is_accelerated)
      : n_atoms(static_cast<std::uint32_t>(system.particles.size())),
        n_tiles(tiles_of(n_atoms)),
        stream(method.device),
        cuda{stream},
        state(stream, n_atoms),
        tiles(stream, n_atoms),
        sums(stream, system.model, system.particles.charge),
        accelerated(is_accelerated),
        pairs(make_device_pairs<Real>(
            cuda, system.model, accelerated ? PairSearch{} : search_of(method, list_form_of(system, config, method)),
            n_atoms, anchor)),
        terms(cuda, system.terms, system.particles),
        d_clock(stream),
        d_last_step(stream),
        d_id(stream),
        d_fields(stream),
        ledger(stream, causes_of(config, system), 0.5 / system.units.acceleration, n_atoms) {
    d_clock.resize(n_tiles);
    d_id.upload(system.particles.id);
    d_last_step.resize(1);
    const DeviceStateView atoms = state.view();
    const double longest = PhysicsGuard(system).longest_move().value_or(std::numeric_limits<double>::infinity());
    view = {atoms,
            tiles.view(atoms.position, atoms.charge, atoms.pair_species),
            sums.view(),
            AtomTerms(system.fields, system.units),
            longest * longest,
            d_clock.data(),
            pairs->displacement_check(),
            pairs->uses_tiles(),
            d_last_step.data()};
    view.id = d_id.data();
    view.ledger = ledger.view();
    d_fields.upload({&view.fields, 1});
    view.called_fields = d_fields.data();
  }
  DeviceAtoms(const DeviceAtoms&) = delete;
  DeviceAtoms& operator=(const DeviceAtoms&) = delete;

  /// clock: null where forces are wanted in any case.
  DeviceMoment moment(const StepClock* clock) const {
    return {view.atoms.position,
            view.atoms.charge,
            view.atoms.host_index,
            n_atoms,
            clock,
            pairs->displacement_check().state};
  }

  /// Adds the forces of all terms of many atoms to the sums, the pairs first: by a search if it serves and atoms have
  /// moved by their clock (null: always).
  void add_forces(const StepClock* clock, const ForceSumsView<Real>& to) const {
    pairs->add_forces(cuda, view.tiles, clock, to);
    terms.add_forces(cuda, moment(clock), to);
  }

  static PairSearch search_of(const Method& method, ListForm form) {
    return {method.neighbor, method.skin, method.cell_share, form};
  }

  /// All atoms are at the complete step; waits.
  void set_clock(std::uint64_t step) {
    const std::vector<StepClock> clock(n_tiles, StepClock(step, StepClock::complete));
    d_clock.upload(clock);
    stream.synchronize("setting the step");
  }

  /// Whether something broke, as far as the errors were read.
  bool broken() { return sums.errors().what_was_read().has_value(); }
  /// The same, after everything that was enqueued.
  bool wait() {
    stream.synchronize("making steps on the device");
    return broken();
  }

  std::uint32_t n_atoms;
  std::uint32_t n_tiles;
  Stream stream;
  Cuda cuda;
  DeviceState state;
  AtomTiles<Real> tiles;
  ForceSums<Real> sums;
  bool accelerated;  ///< pairs are all pairs, and not used
  std::unique_ptr<DevicePairs<Real>> pairs;
  DeviceTerms<Real> terms;                  ///< beside the pairs; none where steps are accelerated
  DeviceBuffer<StepClock> d_clock;          ///< [n_tiles]
  DeviceBuffer<std::uint64_t> d_last_step;  ///< [1]
  DeviceBuffer<std::uint32_t> d_id;         ///< [n_atoms] by host index; none where ids are 1 .. n_atoms
  DeviceBuffer<AtomTerms> d_fields;         ///< [1]
  DeviceLedger ledger;
  StepView<Real> view{};
};

}  // namespace dropmd
