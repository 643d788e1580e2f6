#pragma once

#include <cmath>

#include "core/macros.h"

namespace dropmd {

/// Three components of any lane type. Arrays of Vec3<double> have the shape [n][3] in memory.
template <class T>
struct Vec3 {
  T x{}, y{}, z{};

  DROPMD_HOST_DEVICE constexpr Vec3& operator+=(const Vec3& o) {
    x += o.x, y += o.y, z += o.z;
    return *this;
  }
  DROPMD_HOST_DEVICE constexpr Vec3& operator-=(const Vec3& o) {
    x -= o.x, y -= o.y, z -= o.z;
    return *this;
  }
  DROPMD_HOST_DEVICE constexpr Vec3& operator*=(T s) {
    x *= s, y *= s, z *= s;
    return *this;
  }
  friend DROPMD_HOST_DEVICE constexpr Vec3 operator+(Vec3 a, const Vec3& b) { return a += b; }
  friend DROPMD_HOST_DEVICE constexpr Vec3 operator-(Vec3 a, const Vec3& b) { return a -= b; }
  friend DROPMD_HOST_DEVICE constexpr Vec3 operator*(Vec3 a, T s) { return a *= s; }
  friend DROPMD_HOST_DEVICE constexpr Vec3 operator*(T s, Vec3 a) { return a *= s; }
  friend DROPMD_HOST_DEVICE constexpr Vec3 operator-(const Vec3& a) { return {-a.x, -a.y, -a.z}; }
  friend DROPMD_HOST_DEVICE bool operator==(const Vec3& a, const Vec3& b) = default;
};

/// Scalar product.
template <class T>
DROPMD_HOST_DEVICE constexpr T dot(const Vec3<T>& a, const Vec3<T>& b) {
  return a.x * b.x + a.y * b.y + a.z * b.z;
}

/// Vector product.
template <class T>
DROPMD_HOST_DEVICE constexpr Vec3<T> cross(const Vec3<T>& a, const Vec3<T>& b) {
  return {a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}

/// Length.
inline double norm(const Vec3<double>& a) { return std::sqrt(dot(a, a)); }

/// Whether all components are finite.
inline bool is_finite(const Vec3<double>& a) { return std::isfinite(a.x) && std::isfinite(a.y) && std::isfinite(a.z); }

}  // namespace dropmd
