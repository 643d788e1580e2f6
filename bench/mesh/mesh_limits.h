#pragma once

#include <array>
#include <cstddef>

namespace dropmd {

/// Measured rates of a processor, per second.
struct MeshRates {
  double copied_bytes = 0;        ///< bytes read and written by copies of memory
  double mesh_additions = 0;      ///< additions to a mesh: atomic ones of a GPU, multiply-adds on a CPU
  double multiply_adds = 0;       ///< in the precision of the mesh
  double pair_multiply_adds = 0;  ///< in the precision of the pairs
};

/// The work of one evaluation of the forces of a mesh and its pairs.
struct MeshWork {
  std::array<int, 3> points{};  ///< of the box, n
  std::array<int, 3> length{};  ///< of the padded transforms, N
  int order = 0;                ///< P of the B-splines
  std::size_t n_spread = 0;     ///< atoms on the mesh
  std::size_t real_bytes = 0;   ///< of a value of the mesh
  double pairs = 0;             ///< within the cutoff, each counted once
  int degree = 0;               ///< of the polynomial of the pairs
};

/// The least times of the parts in seconds, as far as the rates tell. A part whose data stay in a cache may take less
/// than its limit by copies.
struct MeshLimits {
  double spread = 0, transforms = 0, gather = 0, pairs = 0;

  /// Returns the limits of the parts:
  ///
  /// - spread: P³ additions per charge, and clearing the box.
  /// - transforms: bytes or multiply-adds, whichever takes longer. The bytes are those of five passes that each read
  ///   and write their data once and leave out whatever is zero or not wanted: lines of z, of y, of x with the product
  ///   between forward and inverse transform, of y, of z. For n³ points, N = 2n and fp32 they are 108 per point. A
  ///   complex line of N values takes 5/2 N log₂N multiply-adds.
  /// - gather: multiply-adds for the gradient, 2 P³ + 3 P² + 3 P per charge; or bytes, if these take longer.
  /// - pairs: kPairSlots + degree multiply-adds per pair.
  static MeshLimits of(const MeshWork& work, const MeshRates& rates);

  /// Multiply-adds of a pair of Coulomb and Lennard-Jones forces besides the polynomial: distance 6, 1/r 4 (a quarter
  /// of the rate), 1/r³ 2, Lennard-Jones 4, charges 2, forces on both atoms 6.
  static constexpr int kPairSlots = 24;
};

}  // namespace dropmd
