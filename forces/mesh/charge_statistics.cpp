#include "forces/mesh/charge_statistics.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>

#include "core/ordered_sum.h"
#include "core/parallel_for.h"
#include "forces/mesh/cuboid.h"

namespace dropmd {

namespace {

constexpr double kPi = 3.14159265358979323846;
/// Number of distances; the volume within doubles from one to the next.
constexpr std::size_t kDistances = 96;

double sphere(double radius) { return 4 * kPi / 3 * radius * radius * radius; }

/// The direct sums of one atom.
struct Environment {
  Vec3<double> field;               ///< Σ q_j r/r³, charge/length²
  std::size_t count[kDistances]{};  ///< atoms between one distance and the next
  double q[kDistances]{};           ///< Σq of these, charge
  double q2[kDistances]{};          ///< Σq², charge²
};

/// Mean density within the radius of gyration.
double density_of(Cpu cpu, std::span<const Vec3<double>> x) {
  const std::size_t n = x.size();
  const auto per_atom = 1 / static_cast<double>(n);
  // Relative to an atom, so that the droplet's position costs no digits.
  const Vec3<double> mean = per_atom * ordered_sum<Vec3<double>>(cpu, n, [&](std::size_t i) { return x[i] - x[0]; });
  const auto distance2 = [&](std::size_t i) {
    const Vec3<double> d = x[i] - x[0] - mean;
    return dot(d, d);
  };
  const double gyration2 = per_atom * ordered_sum<double>(cpu, n, distance2);
  if (gyration2 <= 0) return 0;
  const auto inside = ordered_sum<double>(cpu, n, [&](std::size_t i) { return distance2(i) <= gyration2 ? 1.0 : 0.0; });
  return inside / sphere(std::sqrt(gyration2));
}

/// Returns the index of a distance that is at least r: the next one or the next but one. ratio: of r² to the square of
/// the last distance.
std::size_t shell_of(double ratio) {
  // The exponent of the volume's square, from its bits: a call of std::ilogb() and a division took a fifth of the time.
  constexpr int kMantissaBits = 52, kBias = 1023;
  const int exponent = static_cast<int>(std::bit_cast<std::uint64_t>(ratio * ratio * ratio) >> kMantissaBits) - kBias;
  const int below = std::clamp((-exponent - 1) / 2, 0, static_cast<int>(kDistances) - 1);
  return kDistances - 1 - static_cast<std::size_t>(below);
}

}  // namespace

ChargeStatistics ChargeStatistics::of(Cpu cpu, double coulomb_constant, std::span<const Vec3<double>> position,
                                      std::span<const double> charge, const ExcludedPairs& excluded) {
  ChargeStatistics result;
  const std::size_t n = position.size();
  result.n_atoms = n;
  if (n == 0) return result;
  result.sum_q2 = ordered_sum<double>(cpu, n, [&](std::size_t i) { return charge[i] * charge[i]; });
  result.sum_q4 = ordered_sum<double>(cpu, n, [&](std::size_t i) { return std::pow(charge[i], 4); });
  std::vector<Vec3<double>> charged;
  for (std::size_t i = 0; i < n; ++i)
    if (charge[i] != 0) charged.push_back(position[i]);
  result.n_charged = charged.size();
  result.extents = ChargeExtents::of(charged, nearest_to_median(charged));
  result.density = density_of(cpu, position);

  const double diagonal = charged.empty() ? 0 : norm(result.extents.extents.front().cuboid.size());
  const double last = diagonal > 0 ? diagonal : 1, per_last2 = 1 / (last * last);
  for (std::size_t k = 0; k < kDistances; ++k)
    result.distance.push_back(last * std::exp2((static_cast<double>(k + 1) - static_cast<double>(kDistances)) / 3));
  const std::size_t n_sample = std::min(n, kSample);
  const ExcludedPairsView leaves_out = excluded.view();
  std::vector<Environment> environment(n_sample);
  parallel_for(cpu, n_sample, [&](std::size_t s) {
    const std::size_t i = s * n / n_sample;
    Environment& sums = environment[s];
    for (std::size_t j = 0; j < n; ++j) {
      if (j == i) continue;
      const Vec3<double> d = position[i] - position[j];
      const double r2 = dot(d, d);
      const std::size_t shell = shell_of(r2 * per_last2);
      ++sums.count[shell];
      sums.q[shell] += charge[j];
      sums.q2[shell] += charge[j] * charge[j];
      if (r2 == 0) continue;
      if (leaves_out.any() && leaves_out(static_cast<std::uint32_t>(i), static_cast<std::uint32_t>(j))) continue;
      sums.field += (charge[j] / (r2 * std::sqrt(r2))) * d;
    }
  });
  result.neighbors.assign(kDistances, 0);
  result.charge_pairs.assign(kDistances, 0);
  result.coherence.assign(kDistances, 1);
  const double per_sample = 1 / static_cast<double>(n_sample);
  double force2 = 0;
  for (std::size_t s = 0; s < n_sample; ++s) {
    const double q = charge[s * n / n_sample];
    force2 += q * q * dot(environment[s].field, environment[s].field);
    double count = 0, q2 = 0;
    for (std::size_t k = 0; k < kDistances; ++k) {
      result.neighbors[k] += per_sample * (count += static_cast<double>(environment[s].count[k]));
      result.charge_pairs[k] += per_sample * q * q * (q2 += environment[s].q2[k]);
    }
  }
  parallel_for(cpu, kDistances, [&](std::size_t k) {
    std::vector<double> weight;
    for (const double r : result.distance) weight.push_back(std::exp(-0.5 * std::pow(r / result.distance[k], 2)));
    double of_sum = 0, of_squares = 0;
    for (std::size_t s = 0; s < n_sample; ++s) {
      const double q = charge[s * n / n_sample];
      double sum = q, squares = q * q;
      for (std::size_t m = 0; m < kDistances; ++m) {
        sum += weight[m] * environment[s].q[m];
        squares += weight[m] * weight[m] * environment[s].q2[m];
      }
      of_sum += q * q * sum * sum;
      of_squares += q * q * squares;
    }
    if (of_squares > 0) result.coherence[k] = std::max(1.0, of_sum / of_squares);
  });
  result.rms_force = coulomb_constant * std::sqrt(per_sample * force2);
  return result;
}

double ChargeStatistics::force_scale(double coulomb_constant) const {
  if (n_atoms == 0) return 0;
  const double q2 = sum_q2 / static_cast<double>(n_atoms);
  return std::max(rms_force, coulomb_constant * q2 * std::pow(density, 2.0 / 3));
}

double ChargeStatistics::neighbors_within(double r) const {
  const auto next = std::upper_bound(distance.begin(), distance.end(), r);
  if (next == distance.begin() || distance.empty()) return 0;
  const auto k = static_cast<std::size_t>(next - distance.begin());
  if (k == distance.size()) return neighbors.back();
  // Between two entries the numbers rise as a power of the distance, at most as the volume.
  const double part =
      (std::pow(r, 3) - std::pow(distance[k - 1], 3)) / (std::pow(distance[k], 3) - std::pow(distance[k - 1], 3));
  return neighbors[k - 1] + part * (neighbors[k] - neighbors[k - 1]);
}

double ChargeStatistics::charge_pair_density(double least_radius) const {
  double largest = 0, within = 0;  // q² Σq² within the least radius, rounded down to a distance
  for (std::size_t k = 0; k < distance.size(); ++k) {
    if (distance[k] <= least_radius) within = charge_pairs[k];
    largest = std::max(largest, distance[k] < least_radius ? 0 : charge_pairs[k] / sphere(distance[k]));
  }
  return std::max(largest, within / sphere(least_radius));
}

double ChargeStatistics::coherence_within(double range) const {
  if (coherence.empty()) return 1;
  const auto next = std::lower_bound(distance.begin(), distance.end() - 1, range);
  return coherence[static_cast<std::size_t>(next - distance.begin())];
}

}  // namespace dropmd
