#include "forces/mesh/mesh_potential.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>

#include "core/lanes/simd_lanes.h"
#include "core/ordered_sum.h"
#include "core/parallel_for.h"
#include "core/vector_bytes.h"
#include "forces/mesh/b_spline.h"

namespace dropmd {

namespace {

using Lane = Pack<double>;
constexpr std::size_t kLanes = Lane::size();

/// x, y, z and another number.
using Axes = stdx::fixed_size_simd<double, 4>;

/// The cells in which BSplineWeights finds places along the three axes; the first point is the next one.
template <int P>
Axes cells_of(const Axes& place) {
  return stdx::floor(place - 0.5 * P);
}

/// The weights of a charge along the three axes. Those along z are in packs, the last of which is filled with zeros.
template <int P>
struct Weights {
  static constexpr std::size_t kPacks = (P + kLanes - 1) / kLanes;
  struct alignas(32) Row {
    double x, y, z, unused;
  };

  std::size_t first[3];
  Row weight[P], derivative[P];
  std::array<Lane, kPacks> along_z, slope_z;

  explicit Weights(const Axes& place) {
    const Axes cell = cells_of<P>(place);
    for (std::size_t axis = 0; axis < 3; ++axis)
      first[axis] = static_cast<std::size_t>(static_cast<std::ptrdiff_t>(cell[axis]) + 1);
    const BSplineWeights<P, Axes> all(0, place - 0.5 * P - cell);
    for (std::size_t k = 0; k < P; ++k) {
      all.weight[k].copy_to(&weight[k].x, stdx::vector_aligned);
      all.derivative[k].copy_to(&derivative[k].x, stdx::vector_aligned);
    }
    for (std::size_t pack = 0; pack < kPacks; ++pack) {
      const auto value = [&](const Row(&row)[P], std::size_t lane) {
        const std::size_t k = pack * kLanes + lane;
        return k < P ? row[k].z : 0.0;
      };
      along_z[pack] = Lane([&](std::size_t lane) { return value(weight, lane); });
      slope_z[pack] = Lane([&](std::size_t lane) { return value(derivative, lane); });
    }
  }
};

}  // namespace

MeshPotential::MeshPotential(Cpu cpu, const MeshKernel& kernel, const MeshBox& box, int order, double extent,
                             InfluenceFunctions* known)
    : box_(box),
      order_(order),
      convolution_(box, *make_influence(known, cpu, kernel, box, order, extent)),
      row_(PaddedConvolution::row(box)),
      mesh_(static_cast<std::size_t>(box.points[0]) * static_cast<std::size_t>(box.points[1]) * row_) {}

std::size_t MeshPotential::bytes() const {
  return convolution_.bytes() + bytes_of_all(mesh_, bin_, begin_, sorted_, charges_);
}

template <int P>
void MeshPotential::sort(Cpu cpu, std::span<const Vec3<double>> position, std::span<const double> charge) {
  const auto bins_along = [&](std::size_t axis) { return static_cast<std::size_t>(box_.points[axis]) / P + 1; };
  columns_ = {bins_along(0), bins_along(1)};
  column_bins_ = bins_along(2);
  bin_.resize(position.size());
  for_each_index(cpu, position.size(), [&](std::size_t i) {
    const Vec3<double> place = box_.place(position[i]);
    const auto bin = [&](double along) {
      return static_cast<std::size_t>(static_cast<std::ptrdiff_t>(std::floor(along - 0.5 * P)) + 1) / P;
    };
    bin_[i] = static_cast<std::uint32_t>((bin(place.x) * columns_[1] + bin(place.y)) * column_bins_ + bin(place.z));
  });
  begin_.assign(columns_[0] * columns_[1] * column_bins_ + 1, 0);
  for (const std::uint32_t bin : bin_) ++begin_[bin + 1];
  for (std::size_t bin = 1; bin < begin_.size(); ++bin) begin_[bin] += begin_[bin - 1];
  sorted_.resize(position.size());
  std::vector<std::uint32_t> next = begin_;
  for (std::uint32_t i = 0; i < position.size(); ++i) sorted_[next[bin_[i]]++] = i;
  charges_.resize(position.size());
  for_each_index(cpu, position.size(), [&](std::size_t k) {
    const Vec3<double> place = box_.place(position[sorted_[k]]);
    charges_[k] = {place.x, place.y, place.z, charge[sorted_[k]]};
  });
}

template <int P>
void MeshPotential::spread(Cpu cpu) {
  parallel_for(cpu, static_cast<std::size_t>(box_.points[0]), [&](std::size_t x) {
    std::fill_n(mesh_.begin() + static_cast<std::ptrdiff_t>(x * plane()), plane(), 0.0);
  });
  const auto spread_column = [&](std::size_t column) {
    for (std::size_t k = begin_[column * column_bins_]; k < begin_[(column + 1) * column_bins_]; ++k) {
      const Weights<P> weights(Axes(charges_[k].data(), stdx::vector_aligned));
      double* const corner = &mesh_[weights.first[0] * plane() + weights.first[1] * row_ + weights.first[2]];
      for (std::size_t i = 0; i < P; ++i) {
        const double along_x = charges_[k][3] * weights.weight[i].x;
        for (std::size_t j = 0; j < P; ++j) {
          double* const row = corner + i * plane() + j * row_;
          const Lane part(along_x * weights.weight[j].y);
          for (std::size_t pack = 0; pack < Weights<P>::kPacks; ++pack)
            lane_fma(part, weights.along_z[pack], Lane(row + pack * kLanes, stdx::element_aligned))
                .copy_to(row + pack * kLanes, stdx::element_aligned);
        }
      }
    }
  };
  // A column of bins reaches only into the next ones, so that every second column along x and y can be processed at the
  // same time, and every point is added to in an order that depends on nothing but the charges.
  for (std::size_t phase = 0; phase < 4; ++phase) {
    const std::size_t first_x = phase / 2, first_y = phase % 2;
    const std::size_t n_x = (columns_[0] - first_x + 1) / 2, n_y = (columns_[1] - first_y + 1) / 2;
    parallel_for_with(
        cpu, n_x * n_y, 1, [] { return 0; },
        [&](int, std::size_t index) {
          spread_column((first_x + 2 * (index / n_y)) * columns_[1] + first_y + 2 * (index % n_y));
        });
  }
}

template <int P>
void MeshPotential::gather(Cpu cpu, std::span<double> potential, std::span<Vec3<double>> gradient) const {
  constexpr std::size_t kPacks = Weights<P>::kPacks;
  const double per_length = 1 / box_.spacing;
  for_each_index(cpu, charges_.size(), [&](std::size_t k) {
    const Weights<P> weights(Axes(charges_[k].data(), stdx::vector_aligned));
    const double* const corner = &mesh_[weights.first[0] * plane() + weights.first[1] * row_ + weights.first[2]];
    // Sums over x and y, for the points along z.
    std::array<Lane, kPacks> value{}, slope_x{}, slope_y{};
    for (std::size_t i = 0; i < P; ++i) {
      std::array<Lane, kPacks> along_y{}, along_slope_y{};
      for (std::size_t j = 0; j < P; ++j) {
        const double* const row = corner + i * plane() + j * row_;
        const Lane weight(weights.weight[j].y), derivative(weights.derivative[j].y);
        for (std::size_t pack = 0; pack < kPacks; ++pack) {
          const Lane points(row + pack * kLanes, stdx::element_aligned);
          along_y[pack] = lane_fma(weight, points, along_y[pack]);
          along_slope_y[pack] = lane_fma(derivative, points, along_slope_y[pack]);
        }
      }
      const Lane weight(weights.weight[i].x), derivative(weights.derivative[i].x);
      for (std::size_t pack = 0; pack < kPacks; ++pack) {
        value[pack] = lane_fma(weight, along_y[pack], value[pack]);
        slope_x[pack] = lane_fma(derivative, along_y[pack], slope_x[pack]);
        slope_y[pack] = lane_fma(weight, along_slope_y[pack], slope_y[pack]);
      }
    }
    Lane sum[4] = {};
    for (std::size_t pack = 0; pack < kPacks; ++pack) {
      sum[0] = lane_fma(value[pack], weights.along_z[pack], sum[0]);
      sum[1] = lane_fma(slope_x[pack], weights.along_z[pack], sum[1]);
      sum[2] = lane_fma(slope_y[pack], weights.along_z[pack], sum[2]);
      sum[3] = lane_fma(value[pack], weights.slope_z[pack], sum[3]);
    }
    potential[sorted_[k]] = stdx::reduce(sum[0]);
    gradient[sorted_[k]] = per_length * Vec3<double>{stdx::reduce(sum[1]), stdx::reduce(sum[2]), stdx::reduce(sum[3])};
  });
}

std::span<const double> MeshPotential::on_mesh(Cpu cpu, std::span<const Vec3<double>> position,
                                               std::span<const double> charge) {
  with_spline_order(order_, [&]<int P>() {
    sort<P>(cpu, position, charge);
    spread<P>(cpu);
  });
  convolution_.apply(cpu, mesh_);
  return mesh_;
}

void MeshPotential::evaluate(Cpu cpu, std::span<const Vec3<double>> position, std::span<const double> charge,
                             std::span<double> potential, std::span<Vec3<double>> gradient) {
  on_mesh(cpu, position, charge);
  with_spline_order(order_, [&]<int P>() { gather<P>(cpu, potential, gradient); });
}

}  // namespace dropmd
