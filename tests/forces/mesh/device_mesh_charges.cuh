#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numeric>
#include <random>
#include <vector>

#include "forces/mesh/cuda/device_mesh.cuh"
#include "forces/mesh/mesh_potential.h"
#include "tests/forces/mesh/mesh_systems.h"

/// Charges for the tests of a mesh on a GPU, and what the mesh of the host makes of them.
namespace dropmd {

/// Charges of both signs in a cuboid, in rows, so that neighbours in memory are neighbours in space.
struct Charges {
  std::vector<Vec3<double>> position;
  std::vector<double> charge, mass;

  std::uint32_t n() const { return static_cast<std::uint32_t>(position.size()); }
};

inline Charges random_charges(std::uint32_t n, const Vec3<double>& size, unsigned seed) {
  Charges all;
  std::mt19937 random(seed);
  std::uniform_real_distribution<double> uniform(-0.5, 0.5);
  for (std::uint32_t i = 0; i < n; ++i)
    all.position.push_back({size.x * uniform(random), size.y * uniform(random), size.z * uniform(random)});
  const auto block = [](double x) { return static_cast<int>(std::floor(x / 6)); };
  std::sort(all.position.begin(), all.position.end(), [&](const Vec3<double>& a, const Vec3<double>& b) {
    const int of_a[3] = {block(a.x), block(a.y), block(a.z)}, of_b[3] = {block(b.x), block(b.y), block(b.z)};
    return std::lexicographical_compare(of_a, of_a + 3, of_b, of_b + 3);
  });
  for (std::uint32_t i = 0; i < n; ++i) {
    all.charge.push_back(i % 7 == 3 ? 0.0 : 1.6 * uniform(random) + 0.02);
    all.mass.push_back(i % 5 == 2 ? 0.0 : 1 + 16 * (0.5 + uniform(random)));
  }
  return all;
}

inline MeshBox box_of(const Charges& all, double spacing, int order) {
  Vec3<double> low{}, high{};
  for (const Vec3<double>& x : all.position) {
    low = {std::min(low.x, x.x), std::min(low.y, x.y), std::min(low.z, x.z)};
    high = {std::max(high.x, x.x), std::max(high.y, x.y), std::max(high.z, x.z)};
  }
  return MeshBox::around(low, high, spacing, order);
}

inline double extent_of(const MeshBox& box) {
  return box.spacing * std::hypot(box.points[0], box.points[1], box.points[2]);
}

/// The potential and the gradient by the host, in fp64 on an equal mesh.
struct OfHost {
  std::vector<double> potential;
  std::vector<Vec3<double>> gradient;

  OfHost(const Charges& all, const CoulombSplit& split, const MeshBox& box, int order)
      : potential(all.n()), gradient(all.n()) {
    MeshPotential mesh({1}, split, box, order, extent_of(box));
    mesh.evaluate({1}, all.position, all.charge, potential, gradient);
  }
};

/// Charges in device memory.
template <class Real>
struct OnDevice {
  DeviceBuffer<Vec3<double>> d_position;
  DeviceBuffer<double> d_charge;
  DeviceBuffer<std::uint32_t> d_host_index;
  std::uint32_t n;

  /// order: [n] host index by storage index.
  OnDevice(const Stream& stream, const Charges& all, const std::vector<std::uint32_t>& order)
      : d_position(stream), d_charge(stream), d_host_index(stream), n(all.n()) {
    std::vector<Vec3<double>> x;
    std::vector<double> q;
    for (const std::uint32_t i : order) x.push_back(all.position[i]), q.push_back(all.charge[i]);
    d_position.upload(x);
    d_charge.upload(q);
    d_host_index.upload(order);
    stream.synchronize("copying charges");
  }

  DeviceMoment<Real> moment(const SearchState* search = nullptr) const {
    return {d_position.data(), d_charge.data(), d_host_index.data(), n, nullptr, search, {}};
  }
};

inline std::vector<std::uint32_t> in_order(std::uint32_t n) {
  std::vector<std::uint32_t> order(n);
  std::iota(order.begin(), order.end(), 0U);
  return order;
}

}  // namespace dropmd
