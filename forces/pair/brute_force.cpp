#include "forces/pair/brute_force.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

#include "core/parallel_for.h"
#include "forces/pair/pair_table.h"
#include "forces/pair/with_physics.h"

namespace dropmd {

namespace {

/// The squared distances from `low` to `high` that are within kUndecidedPairs of the cutoff; empty for a term that is
/// absent or has no cutoff.
struct CutoffZone {
  double cutoff2 = 0, low = 0, high = 0;

  CutoffZone() = default;
  explicit CutoffZone(double cutoff) {
    if (!(cutoff > 0) || std::isinf(cutoff)) return;
    cutoff2 = cutoff * cutoff;
    low = (cutoff - kUndecidedPairs) * (cutoff - kUndecidedPairs);
    high = (cutoff + kUndecidedPairs) * (cutoff + kUndecidedPairs);
  }
  bool contains(double r2) const { return low < r2 && r2 < high; }
};

std::array<CutoffZone, 2> cutoff_zones(const PairModel& model) {
  const double vdw = PairModel::cutoff_of(model.vdw()), coulomb = PairModel::cutoff_of(model.coulomb);
  return {CutoffZone(vdw), coulomb == vdw ? CutoffZone() : CutoffZone(coulomb)};
}

/// Returns the jump of a pair's force at a cutoff.
template <class Physics>
double force_jump(const Physics& physics, const CoefficientsOf<Physics, double>& c, double qq, const CutoffZone& zone) {
  const double before = physics(std::nextafter(zone.cutoff2, 0.0), c, qq).force_over_r;
  const double behind = physics(zone.cutoff2, c, qq).force_over_r;
  return std::abs(before - behind) * std::sqrt(zone.cutoff2);
}

/// Returns r times the force of a van der Waals term, with attraction and repulsion both counted as positive.
double sum_of_terms(double r2, const LjCoefficients<double>& c) {
  const double s = 1 / (r2 * r2 * r2);
  return (c.f12 * s + c.f6) * s;
}
double sum_of_terms(double r2, const BornMayerCoefficients<double>& c) {
  auto attraction = c, repulsion = c;
  attraction.repulsion = repulsion.c6 = repulsion.c8 = 0;
  const auto d = Distance<double>::from_square(r2);
  return born_mayer_unshifted(d, repulsion).virial - born_mayer_unshifted(d, attraction).virial;
}

/// Returns the contribution of a pair to AtomSums::terms2.
template <class Coefficients>
double squared_terms(double r2, const Coefficients& c, double qq) {
  const double vdw = sum_of_terms(r2, c), coulomb = qq / std::sqrt(r2);
  return (vdw * vdw + coulomb * coulomb) / r2;
}

/// Squares of the cutoffs of both terms; 0 for an absent term.
struct TermCutoffs {
  explicit TermCutoffs(const PairModel& model)
      : vdw2(square(PairModel::cutoff_of(model.vdw()))), coulomb2(square(PairModel::cutoff_of(model.coulomb))) {}
  double vdw2, coulomb2;
};

/// Returns the contribution of a pair to AtomSums::absolute.
template <class Coefficients>
double absolute_terms(double r2, const Coefficients& c, double qq, const TermCutoffs& cutoffs) {
  const auto d = Distance<double>::from_square(r2);
  double sum = 0;
  if (r2 < cutoffs.vdw2) sum += std::abs(bare_energy(d, c));
  if (r2 < cutoffs.coulomb2) sum += std::abs(qq) * d.r_inv;
  return sum;
}

template <class Physics>
AtomSums sum_over_others(const Physics& physics, const std::vector<CoefficientsOf<Physics, double>>& table,
                         const PairModel& model, const PairAtoms& atoms, std::span<const Vec3<double>> position,
                         std::size_t i) {
  AtomSums sums;
  const auto zones = cutoff_zones(model);
  const TermCutoffs cutoffs(model);
  const double cutoff2 = model.cutoff() * model.cutoff();
  const double seen2 = std::max({cutoff2, zones[0].high, zones[1].high});
  const ExcludedPairsView excluded = atoms.excluded != nullptr ? atoms.excluded->view() : ExcludedPairsView{};
  for (std::size_t j = 0; j < position.size(); ++j) {
    if (j == i) continue;
    if (excluded.any() && excluded(static_cast<std::uint32_t>(i), static_cast<std::uint32_t>(j))) continue;
    const Vec3<double> d = position[i] - position[j];
    const double r2 = squared_norm(d);
    if (!(r2 < seen2)) continue;
    const auto& c = table[atoms.species[i] * model.n_species + atoms.species[j]];
    const double qq = model.coulomb_constant * atoms.charge[i] * atoms.charge[j];
    for (const CutoffZone& zone : zones)
      if (zone.contains(r2)) sums.undecided += force_jump(physics, c, qq, zone);
    if (!(r2 < cutoff2)) continue;
    const PairResult<double> pair = physics(r2, c, qq);
    sums.force += pair.force_over_r * d;
    sums.terms2 += squared_terms(r2, c, model.coulomb ? qq : 0.0);
    sums.vdw += pair.vdw;
    sums.coulomb += pair.coulomb;
    sums.absolute += absolute_terms(r2, c, qq, cutoffs);
    ++sums.within;
  }
  return sums;
}

std::vector<std::uint32_t> all_of(std::size_t n) {
  std::vector<std::uint32_t> everyone(n);
  std::iota(everyone.begin(), everyone.end(), 0U);
  return everyone;
}

class BruteForce final : public PairForces {
 public:
  BruteForce(Cpu cpu, PairModel model, PairAtoms atoms) : cpu_(cpu), model_(std::move(model)), atoms_(atoms) {}

  PairSums evaluate(std::span<const Vec3<double>> position, std::span<Vec3<double>> force, Want want) override {
    const auto per_atom = brute_force_atoms(cpu_, model_, atoms_, position, all_of(position.size()));
    PairSums total;
    for (std::size_t i = 0; i < per_atom.size(); ++i) {
      force[i] = per_atom[i].force;
      total.vdw += 0.5 * per_atom[i].vdw;
      total.coulomb += 0.5 * per_atom[i].coulomb;
      total.pairs_within_cutoff += per_atom[i].within;
    }
    total.pairs_within_cutoff /= 2;
    if (want == Want::forces) total = {};
    total.candidate_pairs = position.size() * (position.size() - (position.empty() ? 0 : 1)) / 2;
    return total;
  }

 private:
  Cpu cpu_;
  PairModel model_;
  PairAtoms atoms_;
};

}  // namespace

std::unique_ptr<PairForces> make_brute_force(Cpu cpu, const PairModel& model, PairAtoms atoms) {
  return std::make_unique<BruteForce>(cpu, model, atoms);
}

std::vector<AtomSums> brute_force_atoms(Cpu cpu, const PairModel& model, PairAtoms atoms,
                                        std::span<const Vec3<double>> position, std::span<const std::uint32_t> sample) {
  std::vector<AtomSums> result(sample.size());
  with_general_physics<double>(model, [&]<class Physics>(const Physics& physics) {
    const auto table = exact_coefficients<CoefficientsOf<Physics, double>>(model);
    parallel_for(cpu, sample.size(), [&](std::size_t s) {
      result[s] = sum_over_others(physics, table, model, atoms, position, sample[s]);
    });
  });
  return result;
}

}  // namespace dropmd
