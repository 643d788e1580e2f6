#pragma once

#include <limits>
#include <memory>
#include <vector>

#include "engine/device/device_ledger.cuh"
#include "engine/device/device_state.cuh"
#include "engine/device/molecules/device_molecules.cuh"
#include "engine/device/step_view.cuh"
#include "engine/ledger/causes.h"
#include "engine/methods/method_parameters.h"
#include "engine/model/pair_atoms.h"
#include "engine/persistent/tile_steps.cuh"
#include "engine/physics_guard.h"
#include "forces/device_forces.cuh"
#include "integrators/integrator.h"

namespace dropmd {

/// The atoms of a run on the device and the neighbour structure that finds their pairs: the data that all parts of a
/// run share.
template <class Real>
struct DeviceAtoms {
  /// anchor: a point near most of the atoms. is_accelerated: forces come from an accelerator (StepMaker), which finds
  /// the pairs itself. peer: of a run on several GPUs.
  DeviceAtoms(const System& system, const RunSettings& config, const Method& method, const Vec3<double>& anchor,
              bool is_accelerated, const Peer* peer = nullptr)
      : n_atoms(static_cast<std::uint32_t>(system.particles.size())),
        n_tiles(tiles_of(n_atoms)),
        stream(method.device),
        cuda{stream},
        state(stream, n_atoms),
        tiles(stream, n_atoms),
        excluded(excluded_atoms_of(system, stream)),
        sums(stream, system.model, system.particles.charge),
        accelerated(is_accelerated),
        balance(balance_of(stream, peer)),
        forces(cuda,
               make_device_pairs<Real>(
                   cuda, system.model,
                   accelerated ? PairSearch{} : search_of(method, list_form_of(system, config, method)), n_atoms,
                   anchor, work_of(peer, method)),
               system.terms, system.outer, system.particles, sums, work_of(peer, method)),
        d_clock(stream),
        d_last_step(stream),
        d_id(stream),
        d_fields(stream),
        molecules(stream, system, is_minimizer(config.integrator),
                  is_accelerated || TileSteps::suits(system, config, method)),
        ledger(stream, atom_causes_of(config, system), 0.5 / system.units.acceleration, n_atoms) {
    d_clock.resize(n_tiles);
    d_id.upload(system.particles.id);
    d_last_step.resize(1);
    const DeviceStateView atoms = state.view();
    const double longest = PhysicsGuard(system).longest_move().value_or(std::numeric_limits<double>::infinity());
    view = {atoms,
            tiles.view(atoms.position, atoms.charge, atoms.pair_species, excluded.view(atoms.host_index)),
            sums.view(),
            AtomTerms(system.fields, system.units),
            longest * longest,
            d_clock.data(),
            forces.pairs().displacement_check(),
            forces.pairs().uses_tiles(),
            d_last_step.data()};
    view.id = d_id.data();
    view.ledger = ledger.view();
    view.slow = forces.slow_sums();
    d_fields.upload({&view.fields, 1});
    view.called_fields = d_fields.data();
    view.has_sites = molecules.has_sites();
    view.projected = molecules.projected();
    view.bath_of_part = config.bath_acts_on_part();
    view.n_with_mass = static_cast<std::uint32_t>(count_with_mass(system.particles.mass));
  }
  /// Device memory in bytes, besides that of the forces and of the ledger (ledger_device_bytes()).
  static std::uint64_t bytes(const System& system) {
    const auto n_atoms = static_cast<std::uint32_t>(system.particles.size());
    return DeviceState::bytes(n_atoms) + AtomTiles<Real>::bytes(n_atoms) + ForceSums<Real>::bytes(n_atoms) +
           ExcludedAtoms::bytes(n_atoms, n_excluded(system)) + sizeof(StepClock) * std::uint64_t{tiles_of(n_atoms)} +
           sizeof(std::uint64_t) + sizeof(std::uint32_t) * system.particles.id.size() + sizeof(AtomTerms) +
           DeviceMolecules::bytes(system);
  }
  DeviceAtoms(const DeviceAtoms&) = delete;
  DeviceAtoms& operator=(const DeviceAtoms&) = delete;

  /// Returns what the terms of many atoms need. clock: null if forces are wanted in any case.
  DeviceMoment<Real> moment(const StepClock* clock = nullptr) const {
    return {view.atoms.position,
            view.atoms.charge,
            view.atoms.host_index,
            n_atoms,
            clock,
            forces.pairs().displacement_check().state,
            view.tiles};
  }

  /// Returns how a method finds the pairs.
  static PairSearch search_of(const Method& method, ListForm form) {
    return {method.neighbor, method.skin, method.cell_share, form};
  }

  PeerWork work_of(const Peer* peer, const Method& method) const {
    return {peer, balance.get(), sums.view().errors, peer != nullptr && divides_mesh(method, peer->group, n_atoms)};
  }
  /// Whether several GPUs divide a mesh, instead of one of them computing it while the others compute pairs. A few GPUs
  /// take about as long either way; of many, the one with the mesh would be the slowest (docs/scaling.md).
  static bool divides_mesh(const Method& method, const PeerGroup& group, std::uint32_t n_atoms) {
    constexpr std::uint32_t kFewestAtoms = 200'000, kMostWithoutDivision = 4;
    const bool pays = group.size() > kMostWithoutDivision && n_atoms >= kFewestAtoms;
    return group.nccl() == nullptr && method.divides_mesh.value_or(pays);
  }
  /// Returns null with NCCL, which does not report times.
  static std::unique_ptr<PeerBalance> balance_of(const Stream& stream, const Peer* peer) {
    if (peer == nullptr || peer->group.nccl() != nullptr) return nullptr;
    return std::make_unique<PeerBalance>(stream, *peer);
  }

  /// Copies the exclusions of the atoms that are present to the device.
  static ExcludedAtoms excluded_atoms_of(const System& system, const Stream& stream) {
    const ExcludedPairs pairs = excluded_pairs(system);
    return {stream, &pairs};
  }

  /// Sets the clocks of all atoms to this complete step; waits for the stream.
  void set_clock(std::uint64_t step) {
    const std::vector<StepClock> clock(n_tiles, StepClock(step, StepClock::complete));
    d_clock.upload(clock);
    stream.synchronize("setting the step");
  }

  /// Whether an error has been read so far.
  bool broken() { return sums.errors().what_was_read().has_value(); }
  /// Waits for everything that was enqueued, then returns broken().
  bool wait() {
    stream.synchronize("performing steps on the device");
    return broken();
  }

  /// Number of atoms, and of their tiles.
  std::uint32_t n_atoms;
  std::uint32_t n_tiles;
  /// Stream of the run, and its handle for launches.
  Stream stream;
  Cuda cuda;
  /// State of the atoms, in storage order.
  DeviceState state;
  /// Positions for the pair kernels, and sums of the forces.
  AtomTiles<Real> tiles;
  /// The pairs that are left out.
  ExcludedAtoms excluded;
  ForceSums<Real> sums;
  bool accelerated;                      ///< whether an accelerator computes the pairs; `forces` is then not used
  std::unique_ptr<PeerBalance> balance;  ///< null on one GPU, and with NCCL
  DeviceForces<Real> forces;
  DeviceBuffer<StepClock> d_clock;  ///< [n_tiles] steps that the atoms of each tile have reached
  /// [1] with a neighbour structure: the atoms do not move beyond this step.
  DeviceBuffer<std::uint64_t> d_last_step;
  DeviceBuffer<std::uint32_t> d_id;  ///< [n_atoms] ids by host index; empty if they are 1 .. n_atoms
  DeviceBuffer<AtomTerms> d_fields;  ///< [1] the fields, for functions that kernels call
  DeviceMolecules molecules;         ///< constraints and virtual sites
  /// The energy that each atom received from outside.
  DeviceLedger ledger;
  /// All of this as kernels take it.
  StepView<Real> view{};
};

}  // namespace dropmd
