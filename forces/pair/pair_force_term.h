#pragma once

#include <array>
#include <memory>

#include "forces/force_term.h"
#include "forces/pair/pair_forces.h"

namespace dropmd {

/// Names of the energies of pair terms.
inline constexpr std::string_view kVdwEnergy = "vdw";
inline constexpr std::string_view kCoulombEnergy = "coulomb";
inline constexpr std::array<std::string_view, 2> kPairEnergies{kVdwEnergy, kCoulombEnergy};

/// The pair forces of a model, computed by any traversal; its reference is brute force.
class PairForceTerm final : public ForceTerm {
 public:
  PairForceTerm(std::unique_ptr<PairForces> pairs, const PairModel& model, PairAtoms atoms)
      : pairs_(std::move(pairs)), model_(model), atoms_(atoms) {}

  std::vector<std::string_view> energy_names() const override { return {kPairEnergies.begin(), kPairEnergies.end()}; }
  /// Throws std::logic_error unless this is the first term of its list.
  void evaluate(const Moment& now, Want want, bool first, std::span<Vec3<double>> force, Energies& energies) override;
  void add_reference(Cpu cpu, const Moment& now, std::span<const std::uint32_t> sample,
                     std::span<AtomSums> sums) const override;
  void add_reference_energies(Cpu cpu, const Moment& now, Energies& energies) const override;
  std::uint64_t bytes() const override { return pairs_->list_bytes(); }

  /// Adds the energies of all pairs.
  static void add_energies(const PairSums& sums, Energies& energies);

  /// The traversal.
  PairForces& pairs() const { return *pairs_; }
  /// The sums of the last evaluation.
  const PairSums& sums() const { return sums_; }

 private:
  std::unique_ptr<PairForces> pairs_;
  PairModel model_;
  PairAtoms atoms_;
  PairSums sums_;
};

}  // namespace dropmd
