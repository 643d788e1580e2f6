#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "core/particles.h"
#include "core/run/energies.h"
#include "engine/methods/method.h"
#include "engine/model/system.h"
#include "forces/force_term.h"
#include "forces/pair/pair_force_term.h"
#include "forces/pair/pair_forces.h"

namespace dropmd {

/// Returns the names of the energies of a system, in the order of its force terms.
std::vector<std::string_view> energy_names(const System& system);

/// All forces on the particles of a system: its force terms in one list, the pair forces first. The system must outlive
/// it, and only its positions may change.
class ForceField {
 public:
  /// method: how the pair forces are computed.
  ForceField(const System& system, const Method& method);

  /// Energies and sums of one evaluation.
  struct Result {
    Energies energies;  ///< without the kinetic energy; all zero if only forces were wanted
    PairSums pairs;
    Ledger ledger{};  ///< energies from outside; filled in by executors, for whole steps
  };

  /// Computes forces and energies. force: [n_atoms][3] energy/length, overwritten.
  Result evaluate(const Moment& now, Want want, std::span<Vec3<double>> force);
  /// Computes the forces of all terms that are not slow, for steps between two outer steps.
  void evaluate_fast(const Moment& now, std::span<Vec3<double>> force);
  /// Computes the slow forces alone. [n_atoms][3]; empty if every step is an outer step.
  std::span<const Vec3<double>> evaluate_slow(const Moment& now);
  /// The slow part of the forces of the last evaluate().
  std::span<const Vec3<double>> slow_force() const { return slow_force_; }

  /// Returns the exact forces on some atoms, of all terms, in fp64 without approximations. sample: [n] indices of
  /// atoms; result: [n].
  std::vector<AtomSums> reference(const Moment& now, std::span<const std::uint32_t> sample) const;
  /// Returns the exact energies of all atoms, without approximations. pairs: those of the pairs, if the caller has
  /// them.
  Energies reference_energies(const Moment& now, const std::optional<PairSums>& pairs = std::nullopt) const;

  /// Positions at which the kept list of the pair forces was built (PairForces::list_positions()).
  std::span<const Vec3<double>> list_positions() const { return pair_term().pairs().list_positions(); }
  /// Builds the list for other positions, [n_atoms][3].
  void build_list(std::span<const Vec3<double>> position) { pair_term().pairs().build_list(position); }

  /// What the terms have kept from earlier positions (ForceTerm::state()), one element for each term.
  std::vector<std::vector<double>> term_states() const;
  /// Sets such states before the first evaluation; terms whose state is empty choose their own. Returns whether the
  /// states are those of these terms.
  bool set_term_states(std::span<const std::vector<double>> states);

  /// Makes the next evaluation depend on its positions alone, as if it were the first.
  void forget();

  /// Bytes of host memory besides the atoms, of the last evaluation.
  std::uint64_t bytes() const;

  /// The pair forces.
  const PairForceTerm& pair_term() const { return static_cast<const PairForceTerm&>(*terms_.front()); }

 private:
  const System* system_;
  std::shared_ptr<const ExcludedPairs> excluded_;  ///< shared, as a moved ForceField keeps its terms
  Method method_;
  Cpu cpu_;
  std::vector<std::string_view> names_;
  std::vector<std::unique_ptr<ForceTerm>> terms_;
  std::vector<ForceTerm*> fast_, slow_;  ///< the terms that are computed in every step, and in outer steps alone
  std::vector<Vec3<double>> slow_force_;
};

}  // namespace dropmd
