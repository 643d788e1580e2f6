#include "forces/mesh/mesh_potential.h"

#include <algorithm>
#include <cstddef>

#include "core/ordered_sum.h"
#include "core/parallel_for.h"
#include "forces/mesh/b_spline.h"

namespace dropmd {

namespace {

/// The weights of a charge along the three axes.
template <int P>
struct Weights {
  BSplineWeights<P, double> x, y, z;

  explicit Weights(const Vec3<double>& place) : x(place.x), y(place.y), z(place.z) {}
};

/// Strides of a mesh in memory.
struct Strides {
  std::size_t x, y;

  explicit Strides(const MeshBox& box)
      : x(static_cast<std::size_t>(box.points[1]) * static_cast<std::size_t>(box.points[2])),
        y(static_cast<std::size_t>(box.points[2])) {}

  /// Index of point (i, j, 0) of the P × P × P points of a charge.
  template <int P>
  std::size_t row(const Weights<P>& weights, int i, int j) const {
    return static_cast<std::size_t>(weights.x.first + i) * x + static_cast<std::size_t>(weights.y.first + j) * y +
           static_cast<std::size_t>(weights.z.first);
  }
};

}  // namespace

MeshPotential::MeshPotential(Cpu cpu, const CoulombSplit& split, const MeshBox& box, int order, double extent)
    : box_(box),
      order_(order),
      convolution_(box, InfluenceFunction::make(cpu, split, box, order, extent)),
      mesh_(box.size()) {}

std::size_t MeshPotential::bytes() const {
  return convolution_.bytes() + sizeof(double) * mesh_.size() + sizeof(std::uint32_t) * of_column_.size();
}

template <int P>
void MeshPotential::spread(Cpu cpu, std::span<const Vec3<double>> position, std::span<const double> charge) {
  // Charges are divided into columns of P × P points by their first point. A column reaches only into the next ones, so
  // that every second column along x and y can be processed at the same time, and every point is added to in an order
  // that depends on nothing but the charges.
  const std::size_t columns_x = static_cast<std::size_t>(box_.points[0]) / P + 1,
                    columns_y = static_cast<std::size_t>(box_.points[1]) / P + 1;
  std::vector<std::uint32_t> column(position.size());
  for_each_index(cpu, position.size(), [&](std::size_t i) {
    const Weights<P> weights(box_.place(position[i]));
    column[i] = static_cast<std::uint32_t>(static_cast<std::size_t>(weights.x.first / P) * columns_y +
                                           static_cast<std::size_t>(weights.y.first / P));
  });
  std::vector<std::uint32_t> begin(columns_x * columns_y + 1);
  for (const std::uint32_t c : column) ++begin[c + 1];
  for (std::size_t c = 1; c < begin.size(); ++c) begin[c] += begin[c - 1];
  of_column_.resize(position.size());
  std::vector<std::uint32_t> next = begin;
  for (std::uint32_t i = 0; i < position.size(); ++i) of_column_[next[column[i]]++] = i;

  std::fill(mesh_.begin(), mesh_.end(), 0.0);
  const Strides strides(box_);
  for (std::size_t phase = 0; phase < 4; ++phase) {
    const std::size_t first_x = phase / 2, first_y = phase % 2;
    const std::size_t n_x = (columns_x - first_x + 1) / 2, n_y = (columns_y - first_y + 1) / 2;
    parallel_for_with(
        cpu, n_x * n_y, 1, [] { return 0; },
        [&](int, std::size_t index) {
          const std::size_t c = (first_x + 2 * (index / n_y)) * columns_y + first_y + 2 * (index % n_y);
          for (std::uint32_t k = begin[c]; k < begin[c + 1]; ++k) {
            const std::uint32_t atom = of_column_[k];
            const Weights<P> weights(box_.place(position[atom]));
            for (int i = 0; i < P; ++i)
              for (int j = 0; j < P; ++j) {
                double* const row = &mesh_[strides.row(weights, i, j)];
                const double part = charge[atom] * weights.x.weight[i] * weights.y.weight[j];
                for (int l = 0; l < P; ++l) row[l] += part * weights.z.weight[l];
              }
          }
        });
  }
}

template <int P>
void MeshPotential::gather(Cpu cpu, std::span<const Vec3<double>> position, std::span<double> potential,
                           std::span<Vec3<double>> gradient) const {
  const Strides strides(box_);
  const double per_length = 1 / box_.spacing;
  for_each_index(cpu, position.size(), [&](std::size_t atom) {
    const Weights<P> weights(box_.place(position[atom]));
    double value = 0;
    Vec3<double> slope;
    for (int i = 0; i < P; ++i)
      for (int j = 0; j < P; ++j) {
        const double* const row = &mesh_[strides.row(weights, i, j)];
        double along = 0, along_slope = 0;
        for (int l = 0; l < P; ++l) {
          along += row[l] * weights.z.weight[l];
          along_slope += row[l] * weights.z.derivative[l];
        }
        value += weights.x.weight[i] * weights.y.weight[j] * along;
        slope += Vec3<double>{weights.x.derivative[i] * weights.y.weight[j] * along,
                              weights.x.weight[i] * weights.y.derivative[j] * along,
                              weights.x.weight[i] * weights.y.weight[j] * along_slope};
      }
    potential[atom] = value;
    gradient[atom] = per_length * slope;
  });
}

std::span<const double> MeshPotential::on_mesh(Cpu cpu, std::span<const Vec3<double>> position,
                                               std::span<const double> charge) {
  with_spline_order(order_, [&]<int P>() { spread<P>(cpu, position, charge); });
  convolution_.apply(cpu, mesh_);
  return mesh_;
}

void MeshPotential::evaluate(Cpu cpu, std::span<const Vec3<double>> position, std::span<const double> charge,
                             std::span<double> potential, std::span<Vec3<double>> gradient) {
  on_mesh(cpu, position, charge);
  with_spline_order(order_, [&]<int P>() { gather<P>(cpu, position, potential, gradient); });
}

}  // namespace dropmd
