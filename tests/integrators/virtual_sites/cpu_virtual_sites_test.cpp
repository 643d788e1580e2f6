#include "integrators/virtual_sites/cpu_virtual_sites.h"

#include <gtest/gtest.h>

#include <numeric>

#include "tests/integrators/virtual_sites/site_examples.h"

/// Many sites at once, on any number of threads.
namespace dropmd {
namespace {

/// n sites of all forms. Every third shares a parent with the site before it.
struct Mixture {
  explicit Mixture(std::size_t n_sites) {
    const auto examples = site_examples();
    const auto n = static_cast<std::uint32_t>(n_sites);
    for (std::uint32_t s = 0; s < n; ++s) {
      const std::uint32_t site = 5 * s, first = s % 3 == 2 ? site - 4 : site + 1;
      if (s % 9 == 8) {
        topology.weighted_sites.push_back({site, {first, site + 2, site + 3, site + 4}, {0.1, 0.2, 0.3, 0.4}});
      } else {
        const SiteExample& example = examples[s % 9];
        topology.virtual_sites.push_back(
            {example.form, site, {first, site + 2, site + 3, site + 4}, example.parameter});
      }
    }
    position = random_vectors(5 * n_sites, 1.0, n_sites);
    force = random_vectors(5 * n_sites, 1.0, n_sites + 1);
  }
  Topology topology;
  Vectors position, force;
};

class NumbersOfSites : public testing::TestWithParam<std::size_t> {};

TEST_P(NumbersOfSites, ThreadsChangeNothingAndTotalForceAndTorqueStay) {
  const Mixture mixture(GetParam());
  const CpuVirtualSites sites(plan_virtual_sites(mixture.topology, mixture.position.size()));
  EXPECT_EQ(sites.plan().n_sites(), GetParam());
  std::vector<Vectors> first;
  for (const int threads : {1, 2, 7}) {
    Vectors x = mixture.position, f = mixture.force;
    sites.place({threads}, x);
    sites.spread({threads}, x, f);
    if (threads > 1) {
      EXPECT_EQ(first, (std::vector{x, f})) << threads;
      continue;
    }
    first = {x, f};
    Vec3<double> total, torque;
    double largest = 1;
    for (std::size_t i = 0; i < x.size(); ++i) {
      total += f[i] - mixture.force[i];
      torque += cross(x[i], f[i] - mixture.force[i]);
      largest = std::max(largest, norm(f[i]));
    }
    EXPECT_LT(norm(total), 1e-14 * largest * static_cast<double>(1 + x.size()));
    EXPECT_LT(norm(torque), 1e-14 * largest * static_cast<double>(1 + x.size()));
    for (std::size_t s = 0; s < GetParam(); ++s) EXPECT_EQ(f[5 * s], Vec3<double>{});
  }
}

/// 100,000 sites are enough for every thread to have work.
INSTANTIATE_TEST_SUITE_P(VirtualSites, NumbersOfSites,
                         testing::Values(0, 1, 2, 31, 32, 33, 127, 128, 129, 255, 256, 257, 1000, 100000));

/// The force of a centre of mass accelerates all its atoms alike, and it moves with their momentum.
TEST(CpuVirtualSites, ACentreOfMassSpreadsItsForceByMass) {
  constexpr std::size_t kAtoms = 1000;
  Topology topology;
  WeightedSite centre{kAtoms, {}, {}};
  std::vector<double> mass;
  for (std::uint32_t i = 0; i < kAtoms; ++i) {
    centre.parent.push_back(i);
    mass.push_back(1.0 + i % 17);
  }
  const double total = std::accumulate(mass.begin(), mass.end(), 0.0);
  for (const double m : mass) centre.weight.push_back(m / total);
  topology.weighted_sites = {centre};
  const CpuVirtualSites sites(plan_virtual_sites(topology, kAtoms + 1));
  Vectors position = random_vectors(kAtoms + 1, 10, 1);
  Vectors force(kAtoms + 1);
  force[kAtoms] = {total, 2 * total, -total};
  sites.place({}, position);
  sites.spread({}, position, force);
  Vec3<double> mean;
  for (std::size_t i = 0; i < kAtoms; ++i) {
    mean += centre.weight[i] * position[i];
    EXPECT_LT(norm((1 / mass[i]) * force[i] - Vec3<double>{1, 2, -1}), 1e-11);
  }
  EXPECT_LT(norm(position[kAtoms] - mean), 1e-13);
  EXPECT_EQ(force[kAtoms], Vec3<double>{});
}

/// Weights of seven digits add up to 0.9999999: the first one makes up for it.
TEST(CpuVirtualSites, RoundedWeightsKeepTheTotalForce) {
  Topology topology;
  topology.weighted_sites = {{0, {1, 2, 3}, {0.3333333, 0.3333333, 0.3333333}}};
  const CpuVirtualSites sites(plan_virtual_sites(topology, 4));
  Vectors force{{3, 6, 9}, {}, {}, {}};
  sites.spread({}, Vectors(4), force);
  EXPECT_LT(norm(force[1] + force[2] + force[3] - Vec3<double>{3, 6, 9}), 1e-15);
}

}  // namespace
}  // namespace dropmd
