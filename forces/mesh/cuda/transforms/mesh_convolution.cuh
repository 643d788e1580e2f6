#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "core/macros.h"
#include "device/cuda.cuh"
#include "device/error_record.cuh"

namespace dropmd {

/// What kernels of a mesh may report; codes of an ErrorRecord besides ForceFault and the faults of a step.
enum class MeshFault : std::uint8_t {
  outside = 3,          ///< an atom, by storage index, is outside of the box; it has no charge on the mesh and no force
  too_much_charge = 4,  ///< the charge at a point, by its index within the box, exceeds the bound
};

/// The values at the points of a mesh in device memory, with room for the padding.
template <class Real>
struct MeshValues {
  Real* value;                ///< [points[0]][length[1]][length[2]]; outside of the box undefined after a convolution
  std::array<int, 3> points;  ///< of the box
  std::array<int, 3> length;  ///< values that are stored along each axis, at least those of the padded transforms
  /// Rows along y, and values of a row, that a convolution reads; those outside of the box must be zero before it.
  int rows_read, values_read;

  DROPMD_HOST_DEVICE std::size_t index(int x, int y, int z) const {
    return (static_cast<std::size_t>(x) * static_cast<std::size_t>(length[1]) + static_cast<std::size_t>(y)) *
               static_cast<std::size_t>(length[2]) +
           static_cast<std::size_t>(z);
  }
  /// Returns the number of values, with those outside of the box.
  std::size_t size() const { return index(points[0], 0, 0); }
};

/// How a convolution reads the charges, which are integers (MeshInteger) in the memory of the values.
template <class Real>
struct MeshCharges {
  Real unit = 1;  ///< charge per integer, a power of two
  const std::uint32_t* wanted =
      nullptr;             ///< [1] 0: the values need not be computed and become undefined; null: they must be
  ErrorRecordView errors;  ///< receives MeshFault::too_much_charge
};

/// Device memory of a mesh, bytes.
struct MeshTransformBytes {
  std::uint64_t values = 0;     ///< the real planes
  std::uint64_t spectra = 0;    ///< besides the values
  std::uint64_t influence = 0;  ///< an octant
  std::uint64_t workspace = 0;  ///< of the transforms

  std::uint64_t total() const { return values + spectra + influence + workspace; }
};

/// The convolution of values on a mesh with an influence function in free space, on a GPU, by one library.
template <class Real>
class MeshConvolution {
 public:
  virtual ~MeshConvolution() = default;

  /// Returns the values, which belong to the convolution.
  virtual MeshValues<Real> values() const = 0;
  /// Replaces the charges by values, on a stream that may differ from the constructor's; only enqueues work, and may be
  /// captured in a graph.
  virtual void run(const Cuda& cuda, const MeshCharges<Real>& charges) const = 0;
  virtual MeshTransformBytes bytes() const = 0;
};

}  // namespace dropmd
