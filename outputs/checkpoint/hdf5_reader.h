#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "core/vec3.h"

namespace dropmd {

/// The types of numbers in checkpoints.
enum class Hdf5Number { f64, i64, u64, u32 };

/// Reads what outputs/checkpoint/hdf5_image.h writes, without the HDF5 library. The library trusts what a file says
/// about itself, so forged files make it write out of bounds, leak memory, or allocate a thousand times the file's
/// size.
///
/// It supports only the oldest of HDF5's formats: superblock 0, groups with symbol tables, contiguous arrays,
/// little-endian. Everything else, such as links, storage in other files, and filters, is rejected. It never reads
/// outside the image; a lookup takes a bounded time, and its result is no larger than the image.
class Hdf5Reader {
 public:
  /// file: name for messages. image: must outlive this object. Throws InputError if it does not begin like an HDF5
  /// file.
  Hdf5Reader(std::string file, std::string_view image) : file_(std::move(file)), image_(image) { require_begin(); }

  /// Returns an array of numbers, or of vectors, which are rows of three numbers. n: number of rows; nullopt: any.
  /// Throws InputError.
  template <class T>
  std::vector<T> array(const std::string& name, std::optional<std::size_t> n = std::nullopt) const {
    static_assert(std::endian::native == std::endian::little && std::is_trivially_copyable_v<T>);
    const std::string_view bytes = numbers(name, number_of<T>(), std::is_same_v<T, Vec3<double>> ? 3 : 1, n);
    std::vector<T> values(bytes.size() / sizeof(T));
    if (!values.empty()) std::memcpy(values.data(), bytes.data(), bytes.size());
    return values;
  }
  template <class T>
  T number(const std::string& name) const {
    return array<T>(name, 1).front();
  }
  /// Whether "/group/.../name" exists.
  bool has(const std::string& name) const;
  /// Returns a text, up to its first NUL if there is one. Throws InputError.
  std::string text(const std::string& name) const;

  /// Throws an InputError that says `what` is wrong with the file.
  [[noreturn]] void fail(const std::string& what) const;

 private:
  template <class T>
  static constexpr Hdf5Number number_of() {
    if constexpr (std::is_same_v<T, std::uint32_t>) return Hdf5Number::u32;
    if constexpr (std::is_same_v<T, std::uint64_t>) return Hdf5Number::u64;
    if constexpr (std::is_same_v<T, std::int64_t>) return Hdf5Number::i64;
    if constexpr (std::is_same_v<T, double> || std::is_same_v<T, Vec3<double>>) return Hdf5Number::f64;
  }
  void require_begin() const;
  std::string_view numbers(const std::string& name, Hdf5Number number, std::size_t columns,
                           std::optional<std::size_t> rows) const;

  std::string file_;
  std::string_view image_;
};

}  // namespace dropmd
