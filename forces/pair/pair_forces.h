#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>

#include "core/execution.h"
#include "core/run/choices.h"
#include "core/vec3.h"
#include "forces/pair/pair_model.h"
#include "forces/want.h"

namespace dropmd {

/// Sums over the unordered pairs; zero where only forces were wanted, but for candidate_pairs.
struct PairSums {
  double vdw = 0;
  double coulomb = 0;
  std::uint64_t pairs_within_cutoff = 0;  ///< pairs nearer than the larger cutoff
  std::uint64_t candidate_pairs = 0;      ///< pairs whose distance was computed; one seen from both sides is one pair
};

/// The atoms' constant properties; the arrays outlive the PairForces made from them.
struct PairAtoms {
  std::span<const double> charge;          ///< [n_atoms]
  std::span<const std::uint32_t> species;  ///< [n_atoms]
};

/// What every traversal offers: pair forces and energies of some positions, the same bytes whatever the threads. They
/// are a function of these positions alone but for what keeps_list() says.
class PairForces {
 public:
  virtual ~PairForces() = default;

  /// position, force: [n_atoms][3] in file order; every element of `force` is overwritten. Throws DeviceError.
  virtual PairSums evaluate(std::span<const Vec3<double>> position, std::span<Vec3<double>> force, Want want) = 0;

  /// Whether a list lives over several calls. Which pairs count then still depends on the positions of the call alone,
  /// but the rounding depends, within the bounds of the precision, also on the positions at which the list was built:
  /// those of the first call, and of each that finds an atom too far from where it was. So the same sequence of calls
  /// gives the same bytes.
  virtual bool keeps_list() const { return false; }
  /// Makes the next call build its list, as if it were the first.
  virtual void discard_list() {}
  /// The positions at which the list was built; empty where none is kept. build_list() rebuilds it for them, with
  /// which calls go on as they would have.
  virtual std::span<const Vec3<double>> list_positions() const { return {}; }
  virtual void build_list(std::span<const Vec3<double>> position) { static_cast<void>(position); }

  /// Host memory of the lists that the last call used, and of the forces that go with them.
  virtual std::uint64_t list_bytes() const { return 0; }

  /// Time that the pair kernel of the last evaluation took on a device; none on the CPU.
  virtual std::optional<double> device_seconds() const { return std::nullopt; }
};

/// Edge of the longest cells on a CPU in which mixed positions are exact, as a share of the cutoff; and where none is
/// given: half the cutoff, or two contact distances if that is more, and no more than the cutoff or the longest.
double longest_cell_share(const PairModel& model);
double usual_cell_share(const PairModel& model);

std::unique_ptr<PairForces> make_all_pairs(Cpu cpu, Precision precision, const PairModel& model, PairAtoms atoms);
/// cell_share: edge of the cells, as a share of the cutoff, the longest at most; 0: the usual one.
std::unique_ptr<PairForces> make_cells(Cpu cpu, Precision precision, const PairModel& model, PairAtoms atoms,
                                       double cell_share);
/// skin: length, at least 0; the list holds until an atom has moved by more than half of it.
std::unique_ptr<PairForces> make_pair_list(Cpu cpu, Precision precision, const PairModel& model, PairAtoms atoms,
                                           double skin);
/// Cells of an edge of cutoff and skin, their atoms sorted along the axes to the cells around. skin: length, at least
/// 0; the order is kept until an atom has moved by more than half of it.
std::unique_ptr<PairForces> make_sorted_cells(Cpu cpu, Precision precision, const PairModel& model, PairAtoms atoms,
                                              double skin);

}  // namespace dropmd
