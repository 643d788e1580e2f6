#pragma once
// Checkpoints with contents that no run writes.

#include <fmt/core.h>
#include <gtest/gtest.h>
#include <zlib.h>

#include "outputs/checkpoint/hdf5_object.h"
#include "tests/outputs/checkpoint_files.h"

namespace dropmd {

/// A checkpoint with a valid block and a modified HDF5 file.
class Forgery {
 public:
  /// bytes: those of a valid checkpoint.
  explicit Forgery(const std::string& bytes) : file_(open(bytes.substr(kCheckpointBlock)), H5Fclose) {
    EXPECT_TRUE(file_.valid());
  }

  void remove(const std::string& name) { EXPECT_GE(H5Ldelete(file_.get(), name.c_str(), H5P_DEFAULT), 0) << name; }

  /// Replaces the data set `name`. values: as many as the dimensions say; null: never written.
  void array(const std::string& name, hid_t type, std::vector<hsize_t> dimensions, const void* values = nullptr) {
    remove(name);
    const auto rank = static_cast<int>(dimensions.size());
    const Hdf5Object space(rank == 0 ? H5Screate(H5S_SCALAR) : H5Screate_simple(rank, dimensions.data(), nullptr),
                           H5Sclose);
    const Hdf5Object data(
        H5Dcreate2(file_.get(), name.c_str(), type, space.get(), H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT), H5Dclose);
    EXPECT_TRUE(data.valid()) << name;
    if (values == nullptr) return;
    EXPECT_GE(H5Dwrite(data.get(), type, H5S_ALL, H5S_ALL, H5P_DEFAULT, values), 0) << name;
  }
  /// Replaces it by a chunked array without any chunk: the file stays short, however long the array is.
  void endless(const std::string& name, hid_t type, std::vector<hsize_t> dimensions) {
    remove(name);
    const auto rank = static_cast<int>(dimensions.size());
    const hsize_t chunk[] = {1024, 3};
    const Hdf5Object how(H5Pcreate(H5P_DATASET_CREATE), H5Pclose);
    H5Pset_chunk(how.get(), rank, chunk);
    const Hdf5Object space(H5Screate_simple(rank, dimensions.data(), nullptr), H5Sclose);
    const Hdf5Object data(H5Dcreate2(file_.get(), name.c_str(), type, space.get(), H5P_DEFAULT, how.get(), H5P_DEFAULT),
                          H5Dclose);
    EXPECT_TRUE(data.valid()) << name;
  }
  /// Replaces it by a text whose bytes are in another file.
  void stored_in(const std::string& file, const std::string& name) {
    remove(name);
    const Hdf5Object type(H5Tcopy(H5T_C_S1), H5Tclose);
    H5Tset_size(type.get(), 8);
    const Hdf5Object how(H5Pcreate(H5P_DATASET_CREATE), H5Pclose);
    H5Pset_external(how.get(), file.c_str(), 0, 8);
    const hsize_t one = 1;
    const Hdf5Object space(H5Screate_simple(1, &one, nullptr), H5Sclose);
    const Hdf5Object data(
        H5Dcreate2(file_.get(), name.c_str(), type.get(), space.get(), H5P_DEFAULT, how.get(), H5P_DEFAULT), H5Dclose);
    EXPECT_TRUE(data.valid()) << name;
  }
  void external_link(const std::string& file, const std::string& name) {
    remove(name);
    EXPECT_GE(H5Lcreate_external(file.c_str(), "/secret", file_.get(), name.c_str(), H5P_DEFAULT, H5P_DEFAULT), 0);
  }
  void soft_link(const std::string& to, const std::string& name) {
    remove(name);
    EXPECT_GE(H5Lcreate_soft(to.c_str(), file_.get(), name.c_str(), H5P_DEFAULT, H5P_DEFAULT), 0);
  }
  /// Replaces it by one number in a compressed chunk of a million.
  void packed(const std::string& name) {
    remove(name);
    const hsize_t one = 1, most = H5S_UNLIMITED, chunk = 1'000'000;
    const Hdf5Object how(H5Pcreate(H5P_DATASET_CREATE), H5Pclose);
    H5Pset_chunk(how.get(), 1, &chunk);
    H5Pset_deflate(how.get(), 9);
    const Hdf5Object space(H5Screate_simple(1, &one, &most), H5Sclose);
    const Hdf5Object data(
        H5Dcreate2(file_.get(), name.c_str(), H5T_IEEE_F64LE, space.get(), H5P_DEFAULT, how.get(), H5P_DEFAULT),
        H5Dclose);
    const double value = 0;
    EXPECT_GE(H5Dwrite(data.get(), H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, &value), 0);
  }
  void numbers(const std::string& name, const std::vector<double>& values) {
    array(name, H5T_IEEE_F64LE, {values.size()}, values.data());
  }
  void vectors(const std::string& name, std::size_t n) {
    const std::vector<double> values(3 * n, 1.0);
    array(name, H5T_IEEE_F64LE, {n, 3}, values.data());
  }
  void words(const std::string& name, const std::vector<std::uint32_t>& values) {
    array(name, H5T_STD_U32LE, {values.size()}, values.data());
  }
  void integer(const std::string& name, std::int64_t value) { array(name, H5T_STD_I64LE, {1}, &value); }
  void natural(const std::string& name, std::uint64_t value) { array(name, H5T_STD_U64LE, {1}, &value); }
  void text(const std::string& name, const std::string& value) {
    const Hdf5Object type(H5Tcopy(H5T_C_S1), H5Tclose);
    H5Tset_size(type.get(), value.size());
    array(name, type.get(), {}, value.data());
  }
  void group(const std::string& name) {
    remove(name);
    const Hdf5Object made(H5Gcreate2(file_.get(), name.c_str(), H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT), H5Gclose);
    EXPECT_TRUE(made.valid());
  }

  std::string bytes() const {
    H5Fflush(file_.get(), H5F_SCOPE_LOCAL);
    std::string image(static_cast<std::size_t>(H5Fget_file_image(file_.get(), nullptr, 0)), '\0');
    H5Fget_file_image(file_.get(), image.data(), image.size());
    return with_block(image);
  }
  static std::string with_block(const std::string& image) {
    std::string block =
        fmt::format("dropmd checkpoint 1\nbytes {}\ncrc32 {:08x}\n", image.size(),
                    ::crc32(0, reinterpret_cast<const Bytef*>(image.data()), static_cast<uInt>(image.size())));
    block.resize(kCheckpointBlock, '\n');
    return block + image;
  }

 private:
  static hid_t open(const std::string& image) {
    const Hdf5Object access(H5Pcreate(H5P_FILE_ACCESS), H5Pclose);
    H5Pset_fapl_core(access.get(), 4096, /*backing_store=*/false);
    H5Pset_file_image(access.get(), const_cast<char*>(image.data()), image.size());
    return H5Fopen("forgery", H5F_ACC_RDWR, access.get());
  }

  Hdf5Object file_;
};

}  // namespace dropmd
