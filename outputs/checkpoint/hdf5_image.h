#pragma once

#include <fmt/core.h>

#include <algorithm>
#include <cstdint>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

#include "core/errors.h"
#include "core/vec3.h"
#include "outputs/checkpoint/hdf5_object.h"

/// HDF5 files in memory, of plain arrays and texts, as checkpoints use them. outputs/checkpoint/hdf5_reader.h reads
/// them.
namespace dropmd {

// Vec3<double> is stored as three doubles.
static_assert(sizeof(Vec3<double>) == 3 * sizeof(double) && std::is_trivially_copyable_v<Vec3<double>>);

/// How a type is stored: HDF5's type in memory and (little-endian) in the file, and the columns per row.
template <class T>
struct Stored {
  static hid_t memory() {
    if constexpr (std::is_same_v<T, std::uint32_t>) return H5T_NATIVE_UINT32;
    if constexpr (std::is_same_v<T, std::uint64_t>) return H5T_NATIVE_UINT64;
    if constexpr (std::is_same_v<T, std::int64_t>) return H5T_NATIVE_INT64;
    return H5T_NATIVE_DOUBLE;
  }
  static hid_t file() {
    if constexpr (std::is_same_v<T, std::uint32_t>) return H5T_STD_U32LE;
    if constexpr (std::is_same_v<T, std::uint64_t>) return H5T_STD_U64LE;
    if constexpr (std::is_same_v<T, std::int64_t>) return H5T_STD_I64LE;
    return H5T_IEEE_F64LE;
  }
  static constexpr hsize_t kColumns = std::is_same_v<T, Vec3<double>> ? 3 : 1;
};

inline hid_t checked(hid_t id, const char* what) {
  if (id < 0) throw OutputError(fmt::format("making the checkpoint: HDF5 cannot {} (memory is probably short)", what));
  return id;
}

/// An HDF5 file in memory that is being filled.
class Image {
 public:
  /// Creates a file without time stamps, so that the same state gives the same bytes.
  Image()
      : file_(create(), H5Fclose),
        timeless_(checked(H5Pcreate(H5P_DATASET_CREATE), "begin"), H5Pclose),
        timeless_group_(checked(H5Pcreate(H5P_GROUP_CREATE), "begin"), H5Pclose) {
    checked(H5Pset_obj_track_times(timeless_.get(), false), "begin");
    checked(H5Pset_obj_track_times(timeless_group_.get(), false), "begin");
  }

  void group(const std::string& name) {
    Hdf5Object(
        checked(H5Gcreate2(file_.get(), name.c_str(), H5P_DEFAULT, timeless_group_.get(), H5P_DEFAULT), "make a group"),
        H5Gclose);
  }

  template <class T>
  void array(const std::string& name, std::span<const T> values) {
    const hsize_t dimensions[] = {values.size(), Stored<T>::kColumns};
    const Hdf5Object space(
        checked(H5Screate_simple(Stored<T>::kColumns > 1 ? 2 : 1, dimensions, nullptr), "make a space"), H5Sclose);
    const Hdf5Object data(checked(H5Dcreate2(file_.get(), name.c_str(), Stored<T>::file(), space.get(), H5P_DEFAULT,
                                             timeless_.get(), H5P_DEFAULT),
                                  "make an array"),
                          H5Dclose);
    if (!values.empty())
      checked(H5Dwrite(data.get(), Stored<T>::memory(), H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data()),
              "write an array");
  }
  template <class T>
  void array(const std::string& name, const std::vector<T>& values) {
    array(name, std::span<const T>(values));
  }
  template <class T>
  void number(const std::string& name, T value) {
    array(name, std::span<const T>(&value, 1));
  }
  void text(const std::string& name, const std::string& value) {
    const Hdf5Object type(checked(H5Tcopy(H5T_C_S1), "make a type"), H5Tclose);
    checked(H5Tset_size(type.get(), std::max<std::size_t>(value.size(), 1)), "make a type");
    checked(H5Tset_strpad(type.get(), H5T_STR_NULLPAD), "make a type");
    checked(H5Tset_cset(type.get(), H5T_CSET_UTF8), "make a type");
    const Hdf5Object space(checked(H5Screate(H5S_SCALAR), "make a space"), H5Sclose);
    const Hdf5Object data(checked(H5Dcreate2(file_.get(), name.c_str(), type.get(), space.get(), H5P_DEFAULT,
                                             timeless_.get(), H5P_DEFAULT),
                                  "make a text"),
                          H5Dclose);
    const std::string padded = value.empty() ? std::string(1, '\0') : value;
    checked(H5Dwrite(data.get(), type.get(), H5S_ALL, H5S_ALL, H5P_DEFAULT, padded.data()), "write a text");
  }

  std::string bytes() const {
    checked(H5Fflush(file_.get(), H5F_SCOPE_LOCAL), "flush");
    const ssize_t size = H5Fget_file_image(file_.get(), nullptr, 0);
    checked(size, "say its size");
    std::string image(static_cast<std::size_t>(size), '\0');
    checked(H5Fget_file_image(file_.get(), image.data(), image.size()), "hand over its bytes");
    return image;
  }

 private:
  static hid_t create() {
    constexpr std::size_t kIncrement = std::size_t{1} << 20U;
    const Hdf5Object access(checked(H5Pcreate(H5P_FILE_ACCESS), "begin"), H5Pclose);
    checked(H5Pset_fapl_core(access.get(), kIncrement, /*backing_store=*/false), "begin");
    // The oldest format that can hold it, which is the one that the reader supports; newer libraries may prefer
    // another.
    checked(H5Pset_libver_bounds(access.get(), H5F_LIBVER_EARLIEST, H5F_LIBVER_LATEST), "begin");
    return checked(H5Fcreate("checkpoint", H5F_ACC_TRUNC, H5P_DEFAULT, access.get()), "begin");
  }

  Hdf5Object file_, timeless_, timeless_group_;
};

}  // namespace dropmd
