#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <ostream>
#include <random>
#include <string>
#include <unordered_map>
#include <vector>

#include "tests/support/charged_atoms.h"

/// Seeded arrangements of atoms, each in a regime that some traversal could get wrong. No two atoms are nearer than
/// kMinDistance.
namespace dropmd {

inline constexpr double kMinDistance = 0.95;

/// Adds atoms one by one, refusing those too near an earlier one.
class AtomPlacer {
 public:
  explicit AtomPlacer(std::uint32_t seed) : random_(seed) {}

  double uniform(double low, double high) { return std::uniform_real_distribution<double>(low, high)(random_); }
  Vec3<double> in_cube(double half) { return {uniform(-half, half), uniform(-half, half), uniform(-half, half)}; }

  /// Adds an atom with a random charge in [−1, 1] and one of three species.
  bool try_add(const Vec3<double>& x) {
    for (int i = -1; i <= 1; ++i)
      for (int j = -1; j <= 1; ++j)
        for (int k = -1; k <= 1; ++k) {
          const auto [begin, end] = near_.equal_range(key(x, i, j, k));
          for (auto it = begin; it != end; ++it)
            if (norm(atoms_.position[it->second] - x) < kMinDistance) return false;
        }
    near_.emplace(key(x, 0, 0, 0), atoms_.size());
    atoms_.add(x, uniform(-1, 1), static_cast<std::uint32_t>(random_() % 3));
    return true;
  }

  std::size_t size() const { return atoms_.size(); }
  ChargedAtoms take() { return std::move(atoms_); }

 private:
  static std::uint64_t key(const Vec3<double>& x, int i, int j, int k) {
    const auto cell = [](double c, int offset) {
      return static_cast<std::uint64_t>(static_cast<std::int64_t>(std::floor(c / kMinDistance)) + offset);
    };
    return (cell(x.x, i) * 0x9E3779B97F4A7C15ULL) ^ (cell(x.y, j) * 0xC2B2AE3D27D4EB4FULL) ^
           (cell(x.z, k) * 0x165667B19E3779F9ULL);
  }

  std::mt19937 random_;
  ChargedAtoms atoms_;
  std::unordered_multimap<std::uint64_t, std::size_t> near_;
};

/// Uniformly distributed in a cube, with `volume` per atom.
inline ChargedAtoms uniform_atoms(std::size_t n, double volume, std::uint32_t seed) {
  AtomPlacer placer(seed);
  const double half = 0.5 * std::cbrt(volume * static_cast<double>(std::max<std::size_t>(n, 1)));
  while (placer.size() < n) placer.try_add(placer.in_cube(half));
  return placer.take();
}

/// Dense clumps of about 20 atoms, 30 apart, with vacuum between them: the numbers of atoms per cell differ widely.
inline ChargedAtoms clustered_atoms(std::size_t n, std::uint32_t seed) {
  AtomPlacer placer(seed);
  const double half = 15 * std::cbrt(static_cast<double>(n) / 20 + 1);
  Vec3<double> centre{};
  std::size_t next_clump = 0;
  while (placer.size() < n) {
    if (placer.size() >= next_clump) centre = placer.in_cube(half), next_clump = placer.size() + 20;
    if (!placer.try_add(centre + placer.in_cube(1.8))) centre += placer.in_cube(0.1);
  }
  return placer.take();
}

inline ChargedAtoms moved(ChargedAtoms atoms, const Vec3<double>& by) {
  for (Vec3<double>& x : atoms.position) x += by;
  return atoms;
}

/// A liquid with one atom at 10⁶ and a pair of atoms in contact at 10⁷.
inline ChargedAtoms atoms_with_outliers(std::size_t n, std::uint32_t seed) {
  ChargedAtoms atoms = uniform_atoms(n, 1.8, seed);
  if (n > 3) atoms.position[n / 2] = {1e6, -1e6, 3.0};
  if (n > 3) atoms.position[0] = {-1e7, 12.0, 1e7};
  if (n > 3) atoms.position[n - 1] = {-1e7, 13.2, 1e7};
  return atoms;
}

/// A liquid with one atom outside any grid with 32-bit cell indices.
inline ChargedAtoms one_atom_lost(std::size_t n, std::uint32_t seed) {
  ChargedAtoms atoms = uniform_atoms(n, 1.8, seed);
  if (n > 1) atoms.position[n / 3] = {1e12, -3e12, 1e11};
  return atoms;
}

/// Atoms in the plane z = 0.
inline ChargedAtoms planar_atoms(std::size_t n, std::uint32_t seed) {
  AtomPlacer placer(seed);
  const double half = 0.5 * std::sqrt(2.2 * static_cast<double>(n + 1));
  while (placer.size() < n) placer.try_add({placer.uniform(-half, half), placer.uniform(-half, half), 0});
  return placer.take();
}

/// Atoms on the y axis.
inline ChargedAtoms linear_atoms(std::size_t n, std::uint32_t seed) {
  AtomPlacer placer(seed);
  double y = 0;
  while (placer.size() < n) placer.try_add({0, y += placer.uniform(0.96, 1.5), 0});
  return placer.take();
}

/// Two liquid droplets, 10⁴ apart.
inline ChargedAtoms two_droplets(std::size_t n, std::uint32_t seed) {
  ChargedAtoms atoms = uniform_atoms(n, 1.8, seed);
  for (std::size_t i = 0; i < n / 2; ++i) atoms.position[i] += Vec3<double>{-1e4, 0, 0};
  return atoms;
}

/// Atoms on a cubic lattice with a spacing of 1.25, half of a cutoff of 2.5: some pairs are exactly at the cutoff, and
/// some atoms on faces of cells.
inline ChargedAtoms lattice_atoms(std::size_t n, std::uint32_t seed) {
  AtomPlacer placer(seed);
  const int side = static_cast<int>(std::ceil(std::cbrt(static_cast<double>(n))));
  for (int x = 0; x < side; ++x)
    for (int y = 0; y < side; ++y)
      for (int z = 0; z < side && placer.size() < n; ++z) placer.try_add({1.25 * x, 1.25 * y, 1.25 * z});
  return placer.take();
}

enum class Regime { liquid, clustered, sparse, outliers, off_centre, one_lost, planar, linear, two_droplets };
inline constexpr Regime kAllRegimes[] = {Regime::liquid,   Regime::clustered,  Regime::sparse,
                                         Regime::outliers, Regime::off_centre, Regime::one_lost,
                                         Regime::planar,   Regime::linear,     Regime::two_droplets};

inline const char* name_of(Regime regime) {
  switch (regime) {
    case Regime::liquid:
      return "liquid";
    case Regime::clustered:
      return "clustered";
    case Regime::sparse:
      return "sparse";
    case Regime::outliers:
      return "outliers";
    case Regime::off_centre:
      return "off_centre";
    case Regime::one_lost:
      return "one_lost";
    case Regime::planar:
      return "planar";
    case Regime::linear:
      return "linear";
    case Regime::two_droplets:
      return "two_droplets";
  }
  return "?";
}
inline void PrintTo(Regime regime, std::ostream* out) { *out << name_of(regime); }

inline ChargedAtoms random_droplet(Regime regime, std::size_t n, std::uint32_t seed) {
  switch (regime) {
    case Regime::clustered:
      return clustered_atoms(n, seed);
    case Regime::sparse:
      return uniform_atoms(n, 60.0, seed);
    case Regime::outliers:
      return atoms_with_outliers(n, seed);
    case Regime::off_centre:
      return moved(uniform_atoms(n, 1.8, seed), {1e7, -1e7, 0.7e7});
    case Regime::one_lost:
      return one_atom_lost(n, seed);
    case Regime::planar:
      return planar_atoms(n, seed);
    case Regime::linear:
      return linear_atoms(n, seed);
    case Regime::two_droplets:
      return two_droplets(n, seed);
    case Regime::liquid:
      break;
  }
  return uniform_atoms(n, 1.8, seed);
}

/// A copy for a model with fewer than three species.
inline ChargedAtoms with_species(ChargedAtoms atoms, std::size_t n_species) {
  for (std::uint32_t& s : atoms.species) s %= static_cast<std::uint32_t>(n_species);
  return atoms;
}

}  // namespace dropmd
