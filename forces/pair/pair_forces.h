#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>

#include "core/execution.h"
#include "core/run/choices.h"
#include "core/topology/excluded_pairs.h"
#include "core/vec3.h"
#include "forces/pair/pair_model.h"
#include "forces/want.h"

namespace dropmd {

/// Sums over unordered pairs. If only forces were wanted, all but candidate_pairs are zero.
struct PairSums {
  double vdw = 0;                         ///< energy
  double coulomb = 0;                     ///< energy
  std::uint64_t pairs_within_cutoff = 0;  ///< pairs closer than the larger cutoff
  /// Pairs whose distance was computed; a pair seen from both sides counts once.
  std::uint64_t candidate_pairs = 0;
};

/// The constant properties of the atoms; the arrays must outlive the PairForces that use them.
struct PairAtoms {
  std::span<const double> charge;           ///< [n_atoms] charge
  std::span<const std::uint32_t> species;   ///< [n_atoms] Particles::pair_species
  const ExcludedPairs* excluded = nullptr;  ///< the pairs that are left out; nullptr: none
};

/// The interface of every traversal: pair forces and energies for given positions, bitwise identical for any number of
/// threads. They are a function of these positions alone, except as keeps_list() describes.
class PairForces {
 public:
  virtual ~PairForces() = default;

  /// position: [n_atoms][3] length; force: [n_atoms][3] energy/length, every element of which is overwritten; both in
  /// the order of Particles. Throws DeviceError.
  virtual PairSums evaluate(std::span<const Vec3<double>> position, std::span<Vec3<double>> force, Want want) = 0;

  /// Returns whether a list is kept over several calls. Which pairs count still depends on the positions of the call
  /// alone, but the rounding also depends, within the error bounds of the precision, on the positions at which the list
  /// was built: those of the first call, and those of each call that finds an atom too far from where it was. The same
  /// sequence of calls therefore gives bitwise identical results.
  virtual bool keeps_list() const { return false; }
  /// Makes the next call build its list, as if it were the first.
  virtual void discard_list() {}
  /// The positions at which the list was built, [n_atoms][3]; empty if none is kept.
  virtual std::span<const Vec3<double>> list_positions() const { return {}; }
  /// Rebuilds the list for positions from list_positions(); later calls then continue as with the original list.
  virtual void build_list(std::span<const Vec3<double>> position) { static_cast<void>(position); }

  /// Bytes of host memory of the lists that the last call used, and of the forces that belong to them.
  virtual std::uint64_t list_bytes() const { return 0; }

  /// Seconds that the pair kernel of the last evaluation took on a device; nullopt on the CPU.
  virtual std::optional<double> device_seconds() const { return std::nullopt; }
};

/// Edge of the longest cells on a CPU in which positions of mixed precision are exact, as a fraction of the cutoff.
double longest_cell_share(const PairModel& model);
/// Edge of cells if none is given, as a fraction of the cutoff: half the cutoff, or two contact distances if that is
/// more, but at most the cutoff and the longest edge.
double usual_cell_share(const PairModel& model);

/// All pairs, without a neighbour structure.
std::unique_ptr<PairForces> make_all_pairs(Cpu cpu, Precision precision, const PairModel& model, PairAtoms atoms);
/// Cells. cell_share: edge of the cells as a fraction of the cutoff, at most longest_cell_share(); 0: the usual one.
std::unique_ptr<PairForces> make_cells(Cpu cpu, Precision precision, const PairModel& model, PairAtoms atoms,
                                       double cell_share);
/// A pair list. skin: length, at least 0; the list holds until an atom has moved by more than half of it.
std::unique_ptr<PairForces> make_pair_list(Cpu cpu, Precision precision, const PairModel& model, PairAtoms atoms,
                                           double skin);
/// Cells with an edge of cutoff + skin, whose atoms are sorted along the axes to the neighbouring cells. skin: length,
/// at least 0; the order is kept until an atom has moved by more than half of it.
std::unique_ptr<PairForces> make_sorted_cells(Cpu cpu, Precision precision, const PairModel& model, PairAtoms atoms,
                                              double skin);

}  // namespace dropmd
