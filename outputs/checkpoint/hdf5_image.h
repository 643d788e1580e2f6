#pragma once

#include <fmt/core.h>

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "core/errors.h"
#include "core/vec3.h"
#include "outputs/checkpoint/hdf5_object.h"

/// HDF5 files in memory that consist of plain arrays and texts, for checkpoints. outputs/checkpoint/hdf5_reader.h reads
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

/// Returns the id; throws OutputError for one that HDF5 could not create. what: what HDF5 was to do.
inline hid_t checked(hid_t id, const char* what) {
  if (id < 0)
    throw OutputError(fmt::format("making the checkpoint: HDF5 cannot {} (there is probably not enough memory)", what));
  return id;
}

/// Where the values of an array or text are in an HDF5 file.
struct ImagePart {
  std::string name;
  haddr_t offset;  ///< bytes; meaningless without values
  std::size_t size;
};

/// The interface for filling an HDF5 file in memory.
class ImageFiller {
 public:
  virtual ~ImageFiller() = default;
  virtual void group(const std::string& name) = 0;
  template <class T>
  void array(const std::string& name, std::span<const T> values) {
    put_array(name, {Stored<T>::memory(), Stored<T>::file(), Stored<T>::kColumns}, values.size(),
              std::as_bytes(values));
  }
  template <class T>
  void array(const std::string& name, const std::vector<T>& values) {
    array(name, std::span<const T>(values));
  }
  template <class T>
  void number(const std::string& name, T value) {
    array(name, std::span<const T>(&value, 1));
  }
  /// An empty text is stored as a NUL byte.
  void text(const std::string& name, const std::string& value) {
    put_text(name, value.empty() ? std::string(1, '\0') : value);
  }

 protected:
  struct ArrayType {
    hid_t memory, file;
    hsize_t columns;
  };
  virtual void put_array(const std::string& name, const ArrayType& type, std::size_t rows,
                         std::span<const std::byte> values) = 0;
  virtual void put_text(const std::string& name, const std::string& value) = 0;
};

/// Makes an HDF5 file in memory.
class Image final : public ImageFiller {
 public:
  /// Creates a file without time stamps, so that the same state gives the same bytes.
  Image()
      : file_(create(), H5Fclose),
        timeless_(checked(H5Pcreate(H5P_DATASET_CREATE), "begin"), H5Pclose),
        timeless_group_(checked(H5Pcreate(H5P_GROUP_CREATE), "begin"), H5Pclose) {
    checked(H5Pset_obj_track_times(timeless_.get(), false), "begin");
    checked(H5Pset_obj_track_times(timeless_group_.get(), false), "begin");
  }

  void group(const std::string& name) override {
    Hdf5Object(checked(H5Gcreate2(file_.get(), name.c_str(), H5P_DEFAULT, timeless_group_.get(), H5P_DEFAULT),
                       "create a group"),
               H5Gclose);
  }

  std::string bytes() const {
    checked(H5Fflush(file_.get(), H5F_SCOPE_LOCAL), "flush");
    const ssize_t size = H5Fget_file_image(file_.get(), nullptr, 0);
    checked(size, "determine its size");
    std::string image(static_cast<std::size_t>(size), '\0');
    checked(H5Fget_file_image(file_.get(), image.data(), image.size()), "hand over its bytes");
    return image;
  }
  /// Returns the parts in the order in which they were put.
  std::vector<ImagePart> take_parts() { return std::move(parts_); }

 private:
  void put_array(const std::string& name, const ArrayType& type, std::size_t rows,
                 std::span<const std::byte> values) override {
    const hsize_t dimensions[] = {rows, type.columns};
    const Hdf5Object space(checked(H5Screate_simple(type.columns > 1 ? 2 : 1, dimensions, nullptr), "create a space"),
                           H5Sclose);
    const Hdf5Object data(checked(H5Dcreate2(file_.get(), name.c_str(), type.file, space.get(), H5P_DEFAULT,
                                             timeless_.get(), H5P_DEFAULT),
                                  "create an array"),
                          H5Dclose);
    if (!values.empty())
      checked(H5Dwrite(data.get(), type.memory, H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data()), "write an array");
    note(name, data, values.size());
  }
  void put_text(const std::string& name, const std::string& value) override {
    const Hdf5Object type(checked(H5Tcopy(H5T_C_S1), "create a type"), H5Tclose);
    checked(H5Tset_size(type.get(), value.size()), "create a type");
    checked(H5Tset_strpad(type.get(), H5T_STR_NULLPAD), "create a type");
    checked(H5Tset_cset(type.get(), H5T_CSET_UTF8), "create a type");
    const Hdf5Object space(checked(H5Screate(H5S_SCALAR), "create a space"), H5Sclose);
    const Hdf5Object data(checked(H5Dcreate2(file_.get(), name.c_str(), type.get(), space.get(), H5P_DEFAULT,
                                             timeless_.get(), H5P_DEFAULT),
                                  "create a text"),
                          H5Dclose);
    checked(H5Dwrite(data.get(), type.get(), H5S_ALL, H5S_ALL, H5P_DEFAULT, value.data()), "write a text");
    note(name, data, value.size());
  }
  void note(const std::string& name, const Hdf5Object& data, std::size_t size) {
    parts_.push_back({name, size > 0 ? H5Dget_offset(data.get()) : 0, size});
  }

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
  std::vector<ImagePart> parts_;
};

/// Replaces the values in an HDF5 file that an Image has made, without HDF5.
class ImageRefill final : public ImageFiller {
 public:
  /// Both must outlive this.
  ImageRefill(std::string& bytes, const std::vector<ImagePart>& parts) : bytes_(bytes), parts_(parts) {}

  /// Whether the same things were put as into the Image, with as many values; otherwise the file is of no use.
  bool fits() const { return fits_ && next_ == parts_.size(); }

  void group(const std::string&) override {}

 private:
  void put_array(const std::string& name, const ArrayType&, std::size_t, std::span<const std::byte> values) override {
    put(name, values);
  }
  void put_text(const std::string& name, const std::string& value) override {
    put(name, std::as_bytes(std::span(value)));
  }
  void put(const std::string& name, std::span<const std::byte> values) {
    if (!fits_) return;
    const ImagePart* const part = next_ < parts_.size() ? &parts_[next_++] : nullptr;
    // Values are stored as they are in memory where that is little-endian.
    fits_ = std::endian::native == std::endian::little && part != nullptr && part->name == name &&
            part->size == values.size() && part->offset <= bytes_.size() && part->size <= bytes_.size() - part->offset;
    if (fits_ && !values.empty()) std::memcpy(bytes_.data() + part->offset, values.data(), values.size());
  }

  std::string& bytes_;
  const std::vector<ImagePart>& parts_;
  std::size_t next_ = 0;
  bool fits_ = true;
};

}  // namespace dropmd
