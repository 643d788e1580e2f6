#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <cstddef>
#include <memory>
#include <span>
#include <vector>

#include "core/vec3.h"
#include "engine/device/device_arrays.h"

/// Conversions between arrays of numpy and those of dropmd, which copy.
namespace dropmd::python {

/// [n][3] and [n] of doubles in C order on the host.
using VectorsIn = nanobind::ndarray<const double, nanobind::shape<-1, 3>, nanobind::c_contig, nanobind::device::cpu>;
using NumbersIn = nanobind::ndarray<const double, nanobind::ndim<1>, nanobind::c_contig, nanobind::device::cpu>;
using IdsIn = nanobind::ndarray<const std::uint32_t, nanobind::ndim<1>, nanobind::c_contig, nanobind::device::cpu>;

inline std::vector<Vec3<double>> vectors_of(const VectorsIn& array) {
  std::vector<Vec3<double>> values(array.shape(0));
  for (std::size_t i = 0; i < values.size(); ++i) {
    const double* const x = array.data() + 3 * i;
    values[i] = {x[0], x[1], x[2]};
  }
  return values;
}

inline std::vector<double> numbers_of(const NumbersIn& array) { return {array.data(), array.data() + array.shape(0)}; }

/// Returns an array that owns the values and cannot be written to. shape: its product is the number of values.
template <class T>
nanobind::ndarray<nanobind::numpy, const T> array_of(std::vector<T> values, std::initializer_list<std::size_t> shape) {
  auto owned = std::make_unique<std::vector<T>>(std::move(values));
  const T* const data = owned->data();
  const nanobind::capsule owner(owned.release(), [](void* p) noexcept { delete static_cast<std::vector<T>*>(p); });
  return {data, shape, owner};
}

/// Returns an array in the memory of a GPU without a copy, as a provider of DLPack. It keeps its memory. Many libraries
/// refuse arrays that say that they cannot be written to, so it does not.
template <class T>
nanobind::ndarray<T, nanobind::array_api> on_device(const DeviceArrays& arrays, const T* data,
                                                    std::initializer_list<std::size_t> shape) {
  auto keeper = std::make_unique<std::shared_ptr<const void>>(arrays.owner);
  const nanobind::capsule owner(keeper.release(),
                                [](void* p) noexcept { delete static_cast<std::shared_ptr<const void>*>(p); });
  return {const_cast<T*>(data), shape, owner, {}, nanobind::dtype<T>(), nanobind::device::cuda::value, arrays.device};
}

/// Returns an array of [n][3] that owns the values and cannot be written to.
inline nanobind::ndarray<nanobind::numpy, const double> array_of(std::span<const Vec3<double>> vectors) {
  std::vector<double> values;
  values.reserve(3 * vectors.size());
  for (const Vec3<double>& v : vectors) values.insert(values.end(), {v.x, v.y, v.z});
  return array_of(std::move(values), {vectors.size(), 3});
}

}  // namespace dropmd::python
