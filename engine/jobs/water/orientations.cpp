#include "engine/jobs/water/orientations.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

#include "core/philox.h"
#include "engine/jobs/water/random_blocks.h"

namespace dropmd {

namespace {

/// Each sweep offers every molecule a few rotations. More sweeps and rotations lower the Coulomb energy by 3% at most.
constexpr std::uint32_t kSweeps = 20, kTrials = 4;
/// Rotations are by up to this angle, in the last sweep by up to this share of it.
constexpr double kLargestAngle = std::numbers::pi, kLastShare = 0.1;

/// Charged atoms of a molecule; an ion has one, and two places without charge.
constexpr std::size_t kCharges = 3;

struct Rotation {
  Vec3<double> axis;  ///< of unit length
  double cosine, sine;

  Vec3<double> operator()(const Vec3<double>& x) const {
    return cosine * x + sine * cross(axis, x) + (1 - cosine) * dot(axis, x) * axis;
  }
};

/// Returns a rotation about a uniform axis by a uniform angle in (-most, most).
Rotation random_rotation(const Vec3<double>& draw, double most) {
  const double z = 2 * draw.x - 1, rho = std::sqrt(1 - z * z), phi = 2 * std::numbers::pi * draw.y;
  const double angle = (2 * draw.z - 1) * most;
  return {{rho * std::cos(phi), rho * std::sin(phi), z}, std::cos(angle), std::sin(angle)};
}

Vec3<double> draw_of(const r123::Philox4x32::ctr_type& words) {
  return {(words[0] + 0.5) * 0x1p-32, (words[1] + 0.5) * 0x1p-32, (words[2] + 0.5) * 0x1p-32};
}

/// Returns a uniformly distributed orientation as a rotation about the z axis followed by one that turns z to a uniform
/// direction.
std::array<Rotation, 2> random_orientation(const Vec3<double>& draw) {
  const double z = 2 * draw.x - 1, rho = std::sqrt(1 - z * z), phi = 2 * std::numbers::pi * draw.y;
  const double psi = 2 * std::numbers::pi * draw.z;
  return {Rotation{{0, 0, 1}, std::cos(psi), std::sin(psi)}, Rotation{{-std::sin(phi), std::cos(phi), 0}, z, rho}};
}

/// Charges of a molecule's neighbours, relative to its site: a few Å, for which single precision is enough to choose.
class Surroundings {
 public:
  void clear() { n_ = 0; }
  void add(const Vec3<double>& x, double charge) {
    x_[n_] = static_cast<float>(x.x), y_[n_] = static_cast<float>(x.y), z_[n_] = static_cast<float>(x.z);
    q_[n_++] = static_cast<float>(charge);
  }
  /// Fills the last lanes with nothing; to be called after the last add().
  void pad() {
    constexpr double kFar = 1e3;  // any place without an atom
    while (n_ % kLanes != 0) add({kFar, kFar, kFar}, 0);
  }
  /// Returns the potential at x, without the Coulomb constant.
  double potential(const Vec3<double>& x) const {
    const auto x0 = static_cast<float>(x.x), y0 = static_cast<float>(x.y), z0 = static_cast<float>(x.z);
    std::array<float, kLanes> sums{};
    for (std::size_t m = 0; m < n_; m += kLanes)
      for (std::size_t l = 0; l < kLanes; ++l) {
        const float dx = x_[m + l] - x0, dy = y_[m + l] - y0, dz = z_[m + l] - z0;
        sums[l] += q_[m + l] / std::sqrt(dx * dx + dy * dy + dz * dz);
      }
    double sum = 0;
    for (const float part : sums) sum += double{part};
    return sum;
  }

 private:
  static constexpr std::size_t kLanes = 8;
  static constexpr std::size_t kMost = (FccBall::kNeighbours * kCharges + kLanes - 1) / kLanes * kLanes;
  std::size_t n_ = 0;
  std::array<float, kMost> x_{}, y_{}, z_{}, q_{};
};

/// The charged atoms of all molecules.
class ChargedAtoms {
 public:
  ChargedAtoms(const WaterModel& model, std::span<const WaterSite> sites)
      : first_(model.has_site() ? 1 : 0), per_molecule_(model.size()), sites_(sites) {
    const std::vector<double> charges = model.charges();
    std::copy_n(charges.begin() + first_, kCharges, charge_.begin());
  }

  void surround(const FccBall& ball, std::size_t site, const std::vector<Vec3<double>>& atoms,
                Surroundings& surroundings) const {
    surroundings.clear();
    for (const std::uint32_t other : ball.neighbours(site)) {
      if (other == FccBall::kNone) continue;
      const Vec3<double> between = sites_[other].position - sites_[site].position;
      if (sites_[other].ion_charge != 0) {
        surroundings.add(between, sites_[other].ion_charge);
        continue;
      }
      for (std::size_t k = 0; k < kCharges; ++k)
        surroundings.add(between + atoms[other * per_molecule_ + first_ + k], charge_[k]);
    }
    surroundings.pad();
  }
  /// Returns the energy of a molecule whose atoms, relative to its site, are those from `molecule` on.
  double energy(const Vec3<double>* molecule, const Surroundings& surroundings) const {
    double sum = 0;
    for (std::size_t k = 0; k < kCharges; ++k) sum += charge_[k] * surroundings.potential(molecule[first_ + k]);
    return sum;
  }

 private:
  std::size_t first_, per_molecule_;
  std::span<const WaterSite> sites_;
  std::array<double, kCharges> charge_{};
};

}  // namespace

std::vector<Vec3<double>> orient_waters(const WaterModel& model, const FccBall& ball, std::span<const WaterSite> sites,
                                        std::uint64_t seed) {
  const RandomKey key{seed, RandomPurpose::generate};
  const std::size_t size = model.size();
  const std::vector<Vec3<double>> geometry = model.geometry();
  std::vector<Vec3<double>> atoms(sites.size() * size);
  for (std::size_t i = 0; i < sites.size(); ++i) {
    if (sites[i].ion_charge != 0) continue;
    const auto [first, second] = random_orientation(uniform_vec3(key, i, kOrientation));
    for (std::size_t k = 0; k < size; ++k) atoms[i * size + k] = second(first(geometry[k]));
  }

  const ChargedAtoms charged(model, sites);
  Surroundings surroundings;
  std::vector<Vec3<double>> trial(size);
  for (std::uint32_t sweep = 0; sweep < kSweeps; ++sweep) {
    const double most = kLargestAngle * std::pow(kLastShare, static_cast<double>(sweep) / (kSweeps - 1));
    for (std::size_t i = 0; i < sites.size(); ++i) {
      if (sites[i].ion_charge != 0) continue;
      charged.surround(ball, i, atoms, surroundings);
      double energy = charged.energy(&atoms[i * size], surroundings);
      for (std::uint32_t t = 0; t < kTrials; ++t) {
        const Rotation rotation =
            random_rotation(draw_of(random_words(key, i, kFirstRotation + sweep * kTrials + t)), most);
        for (std::size_t k = 0; k < size; ++k) trial[k] = rotation(atoms[i * size + k]);
        const double other = charged.energy(trial.data(), surroundings);
        if (other >= energy) continue;
        energy = other;
        std::copy(trial.begin(), trial.end(), atoms.begin() + static_cast<std::ptrdiff_t>(i * size));
      }
    }
  }
  return atoms;
}

}  // namespace dropmd
