#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <cstddef>
#include <memory>
#include <utility>
#include <vector>

#include "core/vec3.h"
#include "engine/device/device_arrays.h"

/// Conversions between arrays of numpy and those of dropmd, by copying.
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

/// Returns a read-only array that owns the values. T: the type of the elements of which a value consists; shape: its
/// product is the number of elements.
template <class T, class Value>
nanobind::ndarray<nanobind::numpy, const T> array_owning(std::vector<Value> values,
                                                         std::initializer_list<std::size_t> shape) {
  auto owned = std::make_unique<std::vector<Value>>(std::move(values));
  const T* const data = reinterpret_cast<const T*>(owned->data());
  const nanobind::capsule owner(owned.release(), [](void* p) noexcept { delete static_cast<std::vector<Value>*>(p); });
  return {data, shape, owner};
}

/// Returns a read-only array that owns the values. shape: its product is the number of values.
template <class T>
nanobind::ndarray<nanobind::numpy, const T> array_of(std::vector<T> values, std::initializer_list<std::size_t> shape) {
  return array_owning<T>(std::move(values), shape);
}

/// Returns an array in the memory of a GPU without a copy, as a provider of DLPack. It keeps the memory alive. Many
/// libraries refuse arrays that are marked as read-only, so it is not marked.
template <class T>
nanobind::ndarray<T, nanobind::array_api> on_device(const DeviceArrays& arrays, const T* data,
                                                    std::initializer_list<std::size_t> shape) {
  auto keeper = std::make_unique<std::shared_ptr<const void>>(arrays.owner);
  const nanobind::capsule owner(keeper.release(),
                                [](void* p) noexcept { delete static_cast<std::shared_ptr<const void>*>(p); });
  return {const_cast<T*>(data), shape, owner, {}, nanobind::dtype<T>(), nanobind::device::cuda::value, arrays.device};
}

/// Returns a read-only array of [n][3] that owns the values.
inline nanobind::ndarray<nanobind::numpy, const double> array_of(std::vector<Vec3<double>> vectors) {
  static_assert(sizeof(Vec3<double>) == 3 * sizeof(double));
  const std::size_t n = vectors.size();
  return array_owning<double>(std::move(vectors), {n, 3});
}

}  // namespace dropmd::python
