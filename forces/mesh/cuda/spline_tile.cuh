#pragma once

#include <climits>
#include <cstdint>
#include <type_traits>

#include "forces/mesh/b_spline.h"
#include "forces/mesh/cuda/mesh_view.cuh"

namespace dropmd {

/// How a block keeps in shared memory (the tile) the points that the B-splines of its atoms touch.
///
/// kRow: words of a row of a tile. kModulo, kRemainder: the words of a plane are rounded up to this remainder modulo
/// kModulo.
template <std::uint32_t kThreadsOfBlock, int kRow, int kModulo, int kRemainder, int kWordsOfTile>
struct TileShape {
  static constexpr std::uint32_t kThreads = kThreadsOfBlock, kWarps = kThreads / 32;
  static constexpr int kRowLength = kRow, kTileWords = kWordsOfTile;

  static DROPMD_HOST_DEVICE int plane_length(int rows) {
    return (rows * kRow + kModulo - 1 - kRemainder) / kModulo * kModulo + kRemainder;
  }
};

#if defined(__CUDACC__)

/// The first points of an atom's B-splines, and its place between points.
template <int P, class Real>
struct AtomCells {
  typename MeshView<Real>::Cell x{}, y{}, z{};
  bool inside = false;  ///< whether all points are in the box

  AtomCells() = default;
  __device__ AtomCells(const MeshView<Real>& mesh, const Vec3<double>& position)
      : x(mesh.template cell_of<P>(position.x, 0)),
        y(mesh.template cell_of<P>(position.y, 1)),
        z(mesh.template cell_of<P>(position.z, 2)),
        inside(x.inside && y.inside && z.inside) {}
};

/// The points that the B-splines of some atoms touch, given by the lowest and the highest of the first points along
/// each axis. There are none if they are in the wrong order.
template <int P, class Shape>
struct TilePoints {
  int low[3], high[3];

  __device__ bool empty() const { return low[0] > high[0]; }
  __device__ void add(const TilePoints& other) {
    for (int axis = 0; axis < 3; ++axis) {
      low[axis] = min(low[axis], other.low[axis]);
      high[axis] = max(high[axis], other.high[axis]);
    }
  }
  /// Adds the points of the lane whose number differs by a mask.
  __device__ void add_of_lane(int mask) {
    for (int axis = 0; axis < 3; ++axis) {
      low[axis] = min(low[axis], __shfl_xor_sync(0xFFFFFFFFU, low[axis], mask));
      high[axis] = max(high[axis], __shfl_xor_sync(0xFFFFFFFFU, high[axis], mask));
    }
  }
  __device__ int extent(int axis) const { return high[axis] - low[axis] + P; }
  __device__ int next_plane() const { return Shape::plane_length(extent(1)); }
  /// Returns the number of words that the points take in a tile; more than a tile has if they do not fit.
  __device__ int words() const {
    constexpr int kMost = 1 << 13;
    const int x = extent(0), y = extent(1);
    const bool possible = extent(2) <= Shape::kRowLength && x < kMost && y < kMost && x * y < kMost;
    return possible ? x * next_plane() : kMost * Shape::kRowLength;
  }

  /// Returns the points of a warp's atoms. All lanes must call it, each with an atom that counts or not.
  template <class Real>
  static __device__ TilePoints of_warp(const AtomCells<P, Real>& atom, bool counts) {
    const int first[3] = {atom.x.cell + 1, atom.y.cell + 1, atom.z.cell + 1};
    TilePoints points{};
    for (int axis = 0; axis < 3; ++axis) {
      points.low[axis] = counts ? first[axis] : INT_MAX;
      points.high[axis] = counts ? first[axis] : INT_MIN;
    }
    for (int mask = 16; mask > 0; mask /= 2) points.add_of_lane(mask);
    return points;
  }
};

/// The tile of a block, in shared memory. Warps whose atoms are near each other share a piece of it; a piece for which
/// there is no space stays in the mesh.
template <int P, class Word, class Shape>
struct SplineTile {
  using Points = TilePoints<P, Shape>;
  struct Piece {
    Points points;
    int at;  ///< index of its first word; −1: it stays in the mesh
  };
  Piece piece[Shape::kWarps];
  Points of_warp[Shape::kWarps];
  int piece_of_warp[Shape::kWarps];
  int n_pieces, n_words;
  alignas(16) Word word[Shape::kTileWords];

  /// Divides the tile; the points of the warps' atoms have been set. All threads of the block must call it.
  __device__ void divide() {
    __syncthreads();
    if (threadIdx.x < 32 && !is_one_piece() && threadIdx.x == 0) find_pieces();
    __syncthreads();
  }
  /// The piece of the calling warp; null if its atoms have no points.
  __device__ const Piece* mine() const {
    const std::uint32_t warp = threadIdx.x / 32;
    return of_warp[warp].empty() ? nullptr : &piece[piece_of_warp[warp]];
  }

  __device__ void clear() {
    auto* const four = reinterpret_cast<int4*>(word);
    for (int k = static_cast<int>(threadIdx.x); k < n_words / 4; k += static_cast<int>(Shape::kThreads))
      four[k] = int4{0, 0, 0, 0};
  }

  /// Calls visit(index in the mesh, word) for all points of the tile. Eight threads share a row, so that accesses to
  /// the mesh coalesce to sectors.
  template <class Real, class Visit>
  __device__ void for_each_point(const MeshValues<Real>& values, const Visit& visit) {
    constexpr int kLanes = 8;
    const int lane = static_cast<int>(threadIdx.x) % kLanes;
    for (int k = 0; k < n_pieces; ++k) {
      const Points& points = piece[k].points;
      if (piece[k].at < 0) continue;
      const int n_y = points.extent(1), rows = points.extent(0) * n_y, n_z = points.extent(2);
      const int next_plane = points.next_plane();
      for (int row = static_cast<int>(threadIdx.x) / kLanes; row < rows;
           row += static_cast<int>(Shape::kThreads) / kLanes) {
        const int x = row / n_y, y = row % n_y;
        const std::size_t in_mesh = values.index(points.low[0] + x, points.low[1] + y, points.low[2]);
        Word* const in_tile = word + piece[k].at + x * next_plane + y * Shape::kRowLength;
        for (int z = lane; z < n_z; z += kLanes) visit(in_mesh + static_cast<std::size_t>(z), in_tile[z]);
      }
    }
  }

 private:
  /// Makes all warps share one piece if it is no larger than theirs together, which is what find_pieces() would nearly
  /// always find, but more slowly. All lanes of one warp must call it.
  __device__ bool is_one_piece() {
    const std::uint32_t lane = threadIdx.x;
    static_assert(Shape::kWarps <= 32 && (Shape::kWarps & (Shape::kWarps - 1)) == 0);
    Points all = of_warp[lane % Shape::kWarps];
    int sum = all.empty() ? 0 : all.words();
    for (int mask = static_cast<int>(Shape::kWarps) / 2; mask > 0; mask /= 2) {
      sum += __shfl_xor_sync(0xFFFFFFFFU, sum, mask);
      all.add_of_lane(mask);
    }
    const bool is_one = !all.empty() && all.words() <= min(sum, Shape::kTileWords);
    if (is_one && lane < Shape::kWarps) piece_of_warp[lane] = 0;
    if (is_one && lane == 0) {
      piece[0] = {all, 0};
      n_pieces = 1;
      n_words = all.words();
    }
    return is_one;
  }

  __device__ void find_pieces() {
    n_pieces = n_words = 0;
    for (std::uint32_t warp = 0; warp < Shape::kWarps; ++warp) {
      const Points& points = of_warp[warp];
      if (points.empty()) continue;
      if (n_pieces > 0) {
        Points& last = piece[n_pieces - 1].points;
        Points both = last;
        both.add(points);
        if (both.words() <= min(last.words() + points.words(), Shape::kTileWords)) {
          last = both;
          piece_of_warp[warp] = n_pieces - 1;
          continue;
        }
      }
      piece[n_pieces].points = points;
      piece_of_warp[warp] = n_pieces++;
    }
    for (int k = 0; k < n_pieces; ++k) {
      const int words = piece[k].points.words();
      const bool fits = n_words + words <= Shape::kTileWords;
      piece[k].at = fits ? n_words : -1;
      if (fits) n_words += words;
    }
  }
};

/// The words between neighbouring rows of a tile, known at compile time.
template <class Shape>
using TileRow = std::integral_constant<int, Shape::kRowLength>;

/// Where a warp finds the points of its atoms, in a tile or in the mesh itself: the first point, words between points
/// that are neighbours along x, and those along y, an int or TileRow.
template <class Row>
struct PointLayout {
  int low[3];
  int next_plane;
  Row next_row;

  /// Returns the index of the first point of an atom.
  template <int P, class Real>
  __device__ int index(const AtomCells<P, Real>& atom) const {
    return (atom.x.cell + 1 - low[0]) * next_plane + (atom.y.cell + 1 - low[1]) * next_row + atom.z.cell + 1 - low[2];
  }
};
template <int P, class Shape>
__device__ PointLayout<TileRow<Shape>> layout_in_tile(const TilePoints<P, Shape>& points) {
  return {{points.low[0], points.low[1], points.low[2]}, points.next_plane(), {}};
}
template <class Real>
__device__ PointLayout<int> layout_in_mesh(const MeshValues<Real>& values) {
  return {{0, 0, 0}, values.length[1] * values.length[2], values.length[2]};
}

#endif

}  // namespace dropmd
