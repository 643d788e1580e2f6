#pragma once

#include <cstdint>
#include <memory>
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

/// The names of the energies of a system, in the order of its force terms.
std::vector<std::string_view> energy_names(const System& system);

/// All forces on the particles of a system: its force terms in one list, the pair forces first. The system outlives it;
/// only positions may change.
class ForceField {
 public:
  ForceField(const System& system, const Method& method);

  struct Result {
    Energies energies;  ///< kinetic left at 0; all zero where only forces were wanted
    PairSums pairs;
    Ledger ledger{};  ///< of a whole step; nothing from the forces alone
  };

  /// force: [n_atoms][3], overwritten.
  Result evaluate(const Moment& now, Want want, std::span<Vec3<double>> force);

  /// The exact forces on some atoms, by all terms, in fp64. sample: indices of atoms [n]; returns [n].
  std::vector<AtomSums> reference(const Moment& now, std::span<const std::uint32_t> sample) const;

  /// Of the pair forces: PairForces::list_positions().
  std::span<const Vec3<double>> list_positions() const { return pair_term().pairs().list_positions(); }
  void build_list(std::span<const Vec3<double>> position) { pair_term().pairs().build_list(position); }

  /// Host memory beside the atoms, of the last evaluation.
  std::uint64_t bytes() const;

  const PairForceTerm& pair_term() const { return static_cast<const PairForceTerm&>(*terms_.front()); }

 private:
  Cpu cpu_;
  std::vector<std::string_view> names_;
  std::vector<std::unique_ptr<ForceTerm>> terms_;
};

}  // namespace dropmd
