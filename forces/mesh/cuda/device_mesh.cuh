#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <utility>

#include "core/execution.h"
#include "device/buffer.cuh"
#include "device/communicator/peer_sum.cuh"
#include "forces/device_force_term.cuh"
#include "forces/mesh/cuda/charge_scale.h"
#include "forces/mesh/cuda/gather.cuh"
#include "forces/mesh/cuda/outside.cuh"
#include "forces/mesh/cuda/peer_mesh_sum.cuh"
#include "forces/mesh/cuda/transforms/mesh_transforms.cuh"
#include "forces/mesh/influence_functions.h"
#include "forces/mesh/levels/mesh_kernel.h"
#include "forces/mesh/mesh_box.h"

namespace dropmd {

/// Settings of a mesh besides its box.
struct DeviceMeshSettings {
  int order = 6;                        ///< of the B-splines, 4 to 8
  double extent = 0;                    ///< largest distance of two charges in the box, length
  double coulomb_constant = 1;          ///< k_e, energy length/charge²
  MeshChargeBound charge{};             ///< determines the scale of the integer charges
  std::span<const double> mass{};       ///< [n_atoms] by host index; 0 for virtual sites
  InfluenceFunctions* known = nullptr;  ///< those of the run; null: there are none
  const Peer* peer = nullptr;           ///< of several GPUs that divide the mesh; null: this one has all of it
};

/// Device memory of a mesh, bytes.
struct DeviceMeshBytes {
  MeshTransformBytes transforms;
  std::uint64_t atoms = 0;  ///< forces, energies and shares of the mass

  std::uint64_t total() const { return transforms.total() + atoms; }
};

/// The smooth potential L of charges by a particle mesh in free space, on a GPU: the forces and the energy of
/// MeshPotential, in mixed precision (float) or double.
///
/// A step calls spread(), transform() and add_forces(). These and all other functions except the constructor only
/// enqueue work, do not wait or allocate, and may be captured in a graph. Calls on several streams must be ordered by
/// the caller. Forces and energy are bitwise independent of the order of the atoms in memory: charges and forces are
/// added as integers, and energies in the order of the host's arrays.
///
/// Momentum. Forces by analytic differentiation do not add up to zero. The net force F, an exact sum of quanta, is
/// subtracted from the atoms in proportion to their mass: atom i gets fᵢ − round(F mᵢ/Σm). This does no work as long as
/// the total momentum is zero. What is left is at most half a quantum per atom and axis.
///
/// Several GPUs may divide a mesh: each spreads the charges of its atoms, has all potentials after the charges have
/// been summed, and adds the forces on its atoms. Each has the whole mesh in memory and transforms all of it, since
/// fetching values from another GPU would take as long.
template <class Real>
class DeviceMesh {
 public:
  /// Whether several GPUs do all of the work together, or this one alone.
  enum class By { one, all };

  /// Returns the range [first, end) of storage indices for which a GPU with the part `share` spreads charges or
  /// interpolates forces.
  static std::pair<std::uint32_t, std::uint32_t> atoms_of(const WorkShare& share, std::uint32_t n_atoms);

  /// box: for all charges to come, at least until move_to(). Waits, also for the other peers if there are any.
  DeviceMesh(const Cuda& cuda, Cpu cpu, const MeshKernel& kernel, const MeshBox& box,
             const DeviceMeshSettings& settings);

  /// Moves the box by whole spacings, also for graphs that have been captured. first: see MeshBox.
  void move_to(const Cuda& cuda, const std::array<long long, 3>& first) const;

  /// Puts the charges on the mesh. Where now.wants_forces() is false, this and transform() leave the mesh undefined. An
  /// atom outside of the box, and a charge that the integers cannot hold, are reported as MeshFault. outside: receives
  /// the charges outside of the box instead, which are then no fault: all of them, whatever `by` is.
  void spread(const Cuda& cuda, const DeviceMoment<Real>& now, const ErrorRecordView& errors,
              const OutsideView& outside = {}, By by = By::one) const;
  /// Sums the charges that all peers have spread, before they are transformed.
  void sum_charges(const Cuda& cuda, const DeviceMoment<Real>& now, const ErrorRecordView& errors) const;
  /// Replaces the charges on the mesh by their potential.
  void transform(const Cuda& cuda, const ErrorRecordView& errors) const;
  /// Adds the forces −k_e q ∇φ, less the net force, to the sums if now.wants_forces() is true. To be called once after
  /// a spread, which clears the net force.
  void add_forces(const Cuda& cuda, const DeviceMoment<Real>& now, const ForceSumsView<Real>& sums,
                  By by = By::one) const;
  /// Computes ½ k_e Σ q (φ − L(0) q): the energy of all pairs without that of each charge with itself. d_energy: [1].
  /// add(d_by_host_index) enqueues what is to be added to the energies of the atoms, [n_atoms].
  template <class Add>
  void energy(const Cuda& cuda, const DeviceMoment<Real>& now, double* d_energy, const Add& add) const {
    gather_energies(cuda, now);
    add(d_energy_.data());
    sum_energies(cuda, now, d_energy);
  }
  void energy(const Cuda& cuda, const DeviceMoment<Real>& now, double* d_energy) const {
    energy(cuda, now, d_energy, [](double*) {});
  }
  /// Computes the potential φ, charge/length, and its gradient, charge/length², at the atoms, by storage index.
  /// d_potential: [n_atoms]; d_gradient: [n_atoms][3].
  void interpolate(const Cuda& cuda, const DeviceMoment<Real>& now, Real* d_potential, Vec3<Real>* d_gradient) const;

  /// The values at the points of the box: after transform() their potential, charge/length.
  MeshValues<Real> values() const { return transforms_.values(); }

  DeviceMeshBytes bytes() const;
  /// Integers per unit of charge, as a power of two.
  int charge_bits() const { return charge_bits_; }

 private:
  MeshView<Real> view() const;
  void gather_energies(const Cuda& cuda, const DeviceMoment<Real>& now) const;
  void sum_energies(const Cuda& cuda, const DeviceMoment<Real>& now, double* d_energy) const;
  void gather(const Cuda& cuda, const DeviceMoment<Real>& now, const Gathered<Real>& to,
              const ForceSumsView<Real>& sums, const WorkShare& share = {}) const;
  WorkShare share_of(By by) const { return by == By::all ? peers_.value().share : WorkShare{}; }

  MeshBox box_;
  int order_;
  int charge_bits_;
  double coulomb_, self_;
  MeshTransforms<Real> transforms_;
  DeviceBuffer<long long> d_first_;         ///< [3]
  DeviceBuffer<double> d_share_;            ///< [n_atoms] by host index
  DeviceBuffer<long long> d_force_;         ///< [3][n_atoms] quanta, by storage index
  DeviceBuffer<unsigned long long> d_net_;  ///< [3][NetForce::kCounters]
  DeviceBuffer<std::uint32_t> d_wanted_;    ///< [1] whether there are charges on the mesh
  DeviceBuffer<double> d_energy_;           ///< [n_atoms] by host index
  DeviceBuffer<unsigned char> d_scratch_;   ///< CUB's
  /// What the peers sum: the charges and the net force.
  struct Peers {
    WorkShare share;
    PeerMeshSum<Real> charges;
    PeerSum net;
  };
  std::optional<Peers> peers_;
};

extern template class DeviceMesh<float>;
extern template class DeviceMesh<double>;

}  // namespace dropmd
