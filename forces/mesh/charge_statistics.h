#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "core/execution.h"
#include "core/topology/excluded_pairs.h"
#include "core/vec3.h"
#include "forces/mesh/levels/charge_extents.h"

namespace dropmd {

/// What the error and the cost of a mesh depend on, for the charges of a system at one moment. All of it is a function
/// of the positions and the charges alone, and the same for any number of threads.
struct ChargeStatistics {
  /// The most atoms whose forces and neighbours are summed directly: evenly spaced by index.
  static constexpr std::size_t kSample = 1024;

  std::size_t n_atoms = 0;    ///< N, uncharged ones included
  std::size_t n_charged = 0;  ///< atoms whose charge is not 0
  double sum_q2 = 0;          ///< Σq², charge²
  double sum_q4 = 0;          ///< Σq⁴, charge⁴
  /// ρ: atoms within the sphere about the mean position whose radius is the radius of gyration, over its volume,
  /// 1/length³. Accuracies refer to it.
  double density = 0;
  /// F_rms, the root of the mean squared Coulomb force on the sample due to pairs that are not excluded, energy/length.
  /// Everything else also counts excluded pairs, as a mesh does.
  double rms_force = 0;

  /// The extents of the charges, so that the cost of a mesh can be estimated whatever some of them do.
  ChargeExtents extents{};

  /// Distances at which neighbours were counted, length, ascending by a constant factor.
  std::vector<double> distance{};
  std::vector<double> neighbors{};  ///< [distance] mean number of atoms within the distance of an atom
  /// [distance] the mean over atoms of q² Σ_j q_j², the sum over the atoms within the distance, charge⁴.
  std::vector<double> charge_pairs{};
  /// [distance] ⟨q² (q + Σ_j w_j q_j)²⟩ over ⟨q² (q² + Σ_j w_j² q_j²)⟩ with w = e^{−r²/2d²} for a distance d, at least
  /// 1: by how much the square of a sum over an atom and its neighbours exceeds that of charges of random signs. It is
  /// large where neighbours have charges of one sign.
  std::vector<double> coherence{};

  /// coulomb_constant: k_e, energy length/charge². position: [n_atoms][3] length, all finite; charge: [n_atoms];
  /// excluded: of these atoms.
  static ChargeStatistics of(Cpu cpu, double coulomb_constant, std::span<const Vec3<double>> position,
                             std::span<const double> charge, const ExcludedPairs& excluded = {});

  /// Returns the force to which accuracies are relative: max(F_rms, k_e ⟨q²⟩ ρ^(2/3)), energy/length. The second does
  /// not vanish in a lattice.
  double force_scale(double coulomb_constant) const;
  /// Returns the mean number of atoms within a distance of an atom, itself not counted.
  double neighbors_within(double r) const;
  /// Returns ⟨q² Σ_j q_j²⟩ per volume around the atoms, charge⁴/length³: ⟨q²⟩² ρ for charges of uniform density ρ. It
  /// is the largest value for spheres of at least a radius, so it does not vanish for any two atoms. Unlike the mean
  /// density within the radius of gyration it does not fall with the distance of two droplets or of a few far atoms.
  double charge_pair_density(double least_radius) const;
  /// Returns the coherence at the first distance of the list that is not below a range.
  double coherence_within(double range) const;
};

}  // namespace dropmd
