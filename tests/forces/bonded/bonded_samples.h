#pragma once

#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <numbers>
#include <random>
#include <utility>
#include <vector>

#include "core/particles.h"
#include "core/topology/topology.h"
#include "forces/bonded/potentials/bonded_potentials.h"

/// Random bonded terms and atoms for tests.
namespace dropmd {

inline constexpr double kPi = std::numbers::pi;
inline constexpr double kSampleCoulomb = 332.063713299;

/// Parameters of the size that force fields have, in units `real`. The atoms are left at 0.
struct TermSampler {
  std::mt19937 random;

  explicit TermSampler(std::uint32_t seed) : random(seed) {}

  double uniform(double low, double high) { return std::uniform_real_distribution<double>(low, high)(random); }
  Vec3<double> vector(double size) { return {uniform(-size, size), uniform(-size, size), uniform(-size, size)}; }
  int integer(int low, int high) { return std::uniform_int_distribution<int>(low, high)(random); }

  void set(HarmonicBond& term) { term.k = uniform(100, 1000), term.length = uniform(0.9, 1.6); }
  void set(UreyBradley& term) { term.k = uniform(5, 50), term.length = uniform(2, 3); }
  void set(HarmonicAngle& term) { term.k = uniform(30, 150), term.angle = uniform(1.5, kPi); }
  void set(PeriodicDihedral& term) {
    term.k = uniform(-2, 5), term.phase = uniform(-kPi, kPi), term.multiplicity = integer(-1, 6);
  }
  void set(RyckaertBellemans& term) {
    for (double& c : term.c) c = uniform(-5, 5);
  }
  void set(HarmonicImproper& term) { term.k = uniform(5, 50), term.angle = uniform(-kPi, kPi); }
  void set(CmapDihedrals& term) { term.grid = static_cast<std::uint32_t>(integer(0, 1)); }
  void set(BondedPair& term) {
    term.lj = {uniform(0.01, 0.3), uniform(1, 2), integer(0, 3) > 0};
    term.charges = uniform(-0.3, 0.3);
  }
  void set(PositionRestraint& term) {
    term.k = {uniform(0, 10), uniform(0, 10), uniform(0, 10)};
    term.reference = vector(5);
  }

  /// A term with random parameters.
  template <class Term>
  Term term() {
    Term term;
    set(term);
    return term;
  }

  CmapGrid grid(std::uint32_t size) {
    CmapGrid grid{size, {}};
    for (std::uint32_t k = 0; k < size * size; ++k) grid.energy.push_back(uniform(-3, 3));
    return grid;
  }

  /// Positions of n atoms of a bent chain with bonds of about 1.5, whose angles are neither 0 nor 180°.
  std::vector<Vec3<double>> chain(std::size_t n) {
    std::vector<Vec3<double>> x{vector(3)};
    Vec3<double> last{0, 0, 0};
    while (x.size() < n) {
      const Vec3<double> step = vector(1);
      const double length = norm(step), bend = norm(cross(step, last));
      if (length < 0.3 || (x.size() > 1 && bend < 0.4 * length)) continue;
      last = (1 / length) * step;
      x.push_back(x.back() + uniform(1.2, 1.8) * last);
    }
    return x;
  }
};

/// `count` terms of each kind between atoms that are consecutive in a chain, and two CMAP grids.
inline Topology sample_topology(std::size_t count, std::size_t n_atoms, std::uint32_t seed) {
  TermSampler sample(seed);
  Topology topology;
  for_each_bonded_potential([&]<class Potential>() {
    auto& terms = std::get<std::vector<typename Potential::Term>>(topology.terms);
    for (std::size_t k = 0; k < count; ++k) {
      auto term = sample.term<typename Potential::Term>();
      const std::size_t first =
          static_cast<std::size_t>(sample.integer(0, 1 << 20)) % (n_atoms - Potential::kAtoms + 1);
      const std::size_t skip = Potential::kAtoms == 2 && first + 2 < n_atoms ? 2 : 1;
      for (std::size_t a = 0; a < Potential::kAtoms; ++a) term.atom[a] = static_cast<std::uint32_t>(first + skip * a);
      terms.push_back(term);
    }
  });
  topology.cmap_grids = {sample.grid(24), sample.grid(7)};
  return topology;
}

/// The atoms of a bent chain.
inline Particles sample_atoms(std::size_t n, std::uint32_t seed) {
  TermSampler sample(seed);
  Particles p;
  p.position = sample.chain(n);
  p.velocity.resize(n);
  p.charge.assign(n, 0.5);
  p.mass.assign(n, 12);
  p.species.assign(n, 0);
  p.pair_species.assign(n, 0);
  p.species_names = {"A"};
  return p;
}

/// Numbers of terms around those of warps and blocks.
inline constexpr std::size_t kNumbersOfTerms[] = {0, 1, 2, 31, 32, 33, 127, 128, 129, 255, 256, 257, 1003};

}  // namespace dropmd
