#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <span>

#include "engine/jobs/compare.h"  // bounds_of
#include "forces/pair/born_mayer.h"
#include "forces/pair/pair_forces.h"
#include "forces/pair/pair_term.h"

namespace dropmd {

/// Differences of forces from a reference, relative to a scale of force.
struct ForceError {
  double rms = 0;
  double worst = 0;
};

inline double rms_of(std::span<const Vec3<double>> force) {
  double sum = 0;
  for (const Vec3<double>& f : force) sum += dot(f, f);
  return force.empty() ? 0 : std::sqrt(sum / static_cast<double>(force.size()));
}

/// floor: the least scale. Where all forces nearly vanish (few atoms, or all near the cutoff of a shifted form), the
/// rounding errors of a pair's terms are no smaller than in a dense droplet, so the size of the terms is the proper
/// measure.
inline ForceError force_error(std::span<const Vec3<double>> force, std::span<const Vec3<double>> reference,
                              double floor = 0) {
  std::vector<Vec3<double>> difference(force.begin(), force.end());
  ForceError error;
  for (std::size_t i = 0; i < difference.size(); ++i) {
    difference[i] -= reference[i];
    const double d = norm(difference[i]);
    error.worst = d <= error.worst ? error.worst : d;  // a NaN is the worst
  }
  const double scale = std::max(rms_of(reference), floor);
  if (force.empty()) return error;
  return {rms_of(difference) / scale, error.worst / scale};
}

/// The scales of the errors of sums: Σ|u| over pairs, of the van der Waals potential and of 1/r, whatever their
/// treatment at the cutoff, and the number of pairs so near the larger cutoff that mixed precision may count them
/// differently.
struct PairScales {
  double vdw = 0;
  double coulomb = 0;
  std::uint64_t near_cutoff = 0;
};

inline PairScales pair_scales(const PairModel& model, PairAtoms atoms, std::span<const Vec3<double>> position) {
  constexpr double kUndecided = 1e-5;  // length units
  PairScales scales;
  const auto lj = model.lj_coefficients();
  const auto born_mayer = model.born_mayer_coefficients();
  const double cutoff = model.cutoff();
  const double vdw_cutoff = PairModel::cutoff_of(model.vdw()), coulomb_cutoff = PairModel::cutoff_of(model.coulomb);
  for (std::size_t i = 0; i < position.size(); ++i)
    for (std::size_t j = 0; j < i; ++j) {
      const double r2 = squared_norm(position[i] - position[j]), r = std::sqrt(r2);
      if (!(r < cutoff + kUndecided)) continue;
      if (atoms.excluded != nullptr && !atoms.excluded->empty() &&
          atoms.excluded->view()(static_cast<std::uint32_t>(i), static_cast<std::uint32_t>(j)))
        continue;
      if (r < vdw_cutoff) {
        const std::size_t pair = atoms.species[i] * model.n_species + atoms.species[j];
        const auto d = Distance<double>::from_square(r2);
        scales.vdw += std::abs(model.born_mayer ? bare_energy(d, born_mayer[pair]) : bare_energy(d, lj[pair]));
      }
      if (r < coulomb_cutoff)
        scales.coulomb += std::abs(model.coulomb_constant * atoms.charge[i] * atoms.charge[j]) / r;
      if (r > cutoff - kUndecided) ++scales.near_cutoff;
    }
  return scales;
}

}  // namespace dropmd
