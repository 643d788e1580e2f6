#pragma once

#include <hdf5.h>

#include <utility>

namespace dropmd {

/// Owner of an HDF5 identifier. close: H5Fclose or the like.
class Hdf5Object {
 public:
  using Close = herr_t (*)(hid_t);

  Hdf5Object(hid_t id, Close close) : id_(id), close_(close) {}
  Hdf5Object(Hdf5Object&& other) noexcept : id_(std::exchange(other.id_, H5I_INVALID_HID)), close_(other.close_) {}
  Hdf5Object& operator=(Hdf5Object&&) = delete;
  ~Hdf5Object() {
    if (valid()) close_(id_);
  }

  bool valid() const { return id_ >= 0; }
  hid_t get() const { return id_; }

 private:
  hid_t id_;
  Close close_;
};

/// While one exists, HDF5 reports errors only by return values and does not print them.
class Hdf5Silence {
 public:
  Hdf5Silence() {
    H5Eget_auto2(H5E_DEFAULT, &function_, &data_);
    H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr);
  }
  ~Hdf5Silence() { H5Eset_auto2(H5E_DEFAULT, function_, data_); }
  Hdf5Silence(const Hdf5Silence&) = delete;
  Hdf5Silence& operator=(const Hdf5Silence&) = delete;

 private:
  H5E_auto2_t function_ = nullptr;
  void* data_ = nullptr;
};

}  // namespace dropmd
