#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "core/run/coulomb_settings.h"
#include "core/run/energies.h"
#include "core/units.h"
#include "engine/force_errors.h"
#include "engine/methods/method.h"
#include "engine/model/system.h"
#include "forces/pair/pair_forces.h"
#include "inputs/run_file/run_config.h"

namespace dropmd {

/// One method, compared with the fp64 all-pairs reference.
struct CompareRow {
  Method method;
  /// How an untruncated Coulomb term is computed: directly or with a mesh; nullopt for other models.
  std::optional<CoulombMethod> coulomb{};
  Energies energies;                 ///< potential energies of all force terms
  PairSums sums;                     ///< of the pairs
  double relative_energy_error = 0;  ///< |U − U_ref| / absolute_energy
  double rms_force_error = 0;        ///< as in ForceErrors
  std::uint64_t worst_atom = 0;      ///< id, from 1; 0 without atoms
  double worst_force_error = 0;      ///< as in ForceErrors
  double microseconds = 0;           ///< median time of one evaluation of forces and energies
  bool ok = false;
};

/// Where a mesh becomes faster than direct sums, on one processor and in one precision.
struct MeshCrossover {
  Method method;                                          ///< its processor and precision
  double direct_microseconds = 0, mesh_microseconds = 0;  ///< of the fastest rows
  /// Number of atoms from which the mesh is faster, if the time of direct sums grows with its square and that of a mesh
  /// in proportion to it.
  double measured_atoms = 0;
  std::optional<double> estimated_atoms{};  ///< the same by the cost model of steps; nullopt: never
};

/// The result of compare_methods().
struct Comparison {
  Units units = kLjUnits;
  std::size_t n_atoms = 0;
  /// Number of atoms whose forces were compared; all unless a sample was requested.
  std::size_t n_sampled = 0;
  PairSums reference;           ///< of the pairs, by fp64 all pairs
  Energies reference_energies;  ///< of all force terms, exact
  /// The scale of the energy errors: AtomSums::absolute of all pairs, and the magnitudes of the other energies.
  double absolute_energy = 0;
  /// The reference less the same interactions without any cutoff (plain LJ, untruncated Coulomb); zero if nothing is
  /// cut.
  PairSums untruncated;
  std::vector<CompareRow> rows;
  std::optional<CoulombMesh> mesh;        ///< of the rows with a mesh
  std::vector<MeshCrossover> crossovers;  ///< where direct sums and a mesh were both timed
  std::vector<std::string> warnings;

  /// Whether all rows are within their error bounds.
  bool ok() const;
};

/// Compares every method of this build and machine on a system. An untruncated Coulomb term is computed directly and,
/// if the model allows it, with a mesh: that of the system, or one of the accuracy in the configuration. The backend
/// and neighbor words of the configuration limit the rows, and so does `precision`. sample: number of atoms whose
/// forces are compared, chosen evenly; nullopt: all atoms of inputs up to kCompareAllUpTo atoms, else kCompareSample.
Comparison compare_methods(const System& system, const RunConfig& config, std::optional<std::size_t> sample,
                           std::optional<Precision> precision = std::nullopt);
/// The same for the structure of the configuration.
Comparison compare_methods(const RunConfig& config, std::optional<std::size_t> sample,
                           std::optional<Precision> precision = std::nullopt);

inline constexpr std::size_t kCompareAllUpTo = 20'000;  ///< the reference computes n² pairs, one by one
inline constexpr std::size_t kCompareSample = 1'000;

}  // namespace dropmd
