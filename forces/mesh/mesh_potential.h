#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "core/execution.h"
#include "core/vec3.h"
#include "forces/mesh/cpu/padded_convolution.h"
#include "forces/mesh/influence_functions.h"
#include "forces/mesh/levels/mesh_kernel.h"
#include "forces/mesh/mesh_box.h"

namespace dropmd {

/// The smooth potential of charges (a MeshKernel) at the charges themselves, by a particle mesh in free space on the
/// CPU, in fp64: B-splines spread the charges, the potential on the mesh is their convolution with the influence
/// function, and the same B-splines interpolate it; their derivatives give its gradient. A charge's own smeared charge
/// is included.
class MeshPotential {
 public:
  /// box: for all charges to come. order: of the B-splines, 4 to 8. extent: largest distance of two charges. known: the
  /// influence functions of the run; null: there are none.
  MeshPotential(Cpu cpu, const MeshKernel& kernel, const MeshBox& box, int order, double extent,
                InfluenceFunctions* known = nullptr);

  const MeshBox& box() const { return box_; }
  /// Moves the box by whole spacings, which does not affect the influence function.
  void move_to(const std::array<long long, 3>& first) { box_.first = first; }

  /// Computes the potential, charge/length, and its gradient, charge/length², at the charges. position: [n][3], all
  /// within the box; charge: [n]; potential: [n]; gradient: [n][3]. Results do not depend on the number of threads.
  void evaluate(Cpu cpu, std::span<const Vec3<double>> position, std::span<const double> charge,
                std::span<double> potential, std::span<Vec3<double>> gradient);

  /// Computes the potential, charge/length, at the points of the box alone, [n_x][n_y][PaddedConvolution::row()], from
  /// which the B-splines interpolate it. It is valid until the next computation. Arguments as in evaluate().
  std::span<const double> on_mesh(Cpu cpu, std::span<const Vec3<double>> position, std::span<const double> charge);

  /// Returns the host memory in bytes.
  std::size_t bytes() const;
  /// Returns an estimate of that for a box that does not exist, without what the charges take.
  static std::uint64_t bytes(const std::array<int, 3>& points) {
    // Charges or potential, lines along x in complex numbers, and the influence function, of which the run keeps one.
    constexpr std::uint64_t kPerPoint = 8 + 16 + 2 * 8;
    return kPerPoint * MeshBox{1, points, {}}.size();
  }

 private:
  /// Sorts the charges by bins of P × P × P points.
  template <int P>
  void sort(Cpu cpu, std::span<const Vec3<double>> position, std::span<const double> charge);
  template <int P>
  void spread(Cpu cpu);
  template <int P>
  void gather(Cpu cpu, std::span<double> potential, std::span<Vec3<double>> gradient) const;
  /// Values of a plane of x in memory.
  std::size_t plane() const { return static_cast<std::size_t>(box_.points[1]) * row_; }

  MeshBox box_;
  int order_;
  PaddedConvolution convolution_;
  std::size_t row_;                            ///< PaddedConvolution::row()
  std::vector<double> mesh_;                   ///< [n_x][n_y][row] charges, then potentials
  std::array<std::size_t, 2> columns_{};       ///< of bins, along x and y
  std::size_t column_bins_ = 0;                ///< of a column, along z
  std::vector<std::uint32_t> bin_;             ///< [n] of a charge
  std::vector<std::uint32_t> begin_, sorted_;  ///< [bins + 1]; [n] indices of charges in the order of their bins
  /// Place in units of the spacing, x, y and z, and charge.
  struct alignas(32) Charge : std::array<double, 4> {};
  std::vector<Charge> charges_;  ///< [n] in the order of their bins
};

}  // namespace dropmd
