#include "forces/brute_force.h"

#include <cmath>
#include <numeric>

#include "forces/with_physics.h"

namespace dropmd {

namespace {

template <class Physics>
AtomSums sum_over_others(const Physics& physics, const std::vector<LjCoefficients<double>>& table,
                         const PairModel& model, const PairAtoms& atoms, std::span<const Vec3<double>> position,
                         std::size_t i) {
  AtomSums sums;
  const double cutoff2 = model.cutoff() * model.cutoff();
  for (std::size_t j = 0; j < position.size(); ++j) {
    if (j == i) continue;
    const Vec3<double> d = position[i] - position[j];
    const double r2 = squared_norm(d);
    if (!(r2 < cutoff2)) continue;
    const PairResult<double> pair = physics(r2, table[atoms.species[i] * model.n_species + atoms.species[j]],
                                            model.coulomb_constant * atoms.charge[i] * atoms.charge[j]);
    sums.force += pair.force_over_r * d;
    sums.vdw += pair.vdw;
    sums.coulomb += pair.coulomb;
    sums.absolute += std::abs(pair.vdw) + std::abs(pair.coulomb);
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
    total.pairs_examined = position.size() * (position.size() - (position.empty() ? 0 : 1)) / 2;
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
  const auto table = model.lj_coefficients();
  with_physics<double, Limits::none, Limits::separate>(model, [&](const auto& physics) {
    const auto n = static_cast<std::int64_t>(sample.size());
#pragma omp parallel for schedule(static) num_threads(cpu.threads)
    for (std::int64_t k = 0; k < n; ++k) {
      const auto s = static_cast<std::size_t>(k);
      result[s] = sum_over_others(physics, table, model, atoms, position, sample[s]);
    }
  });
  return result;
}

}  // namespace dropmd
