#pragma once

#include <cstddef>
#include <vector>

#include "device/cuda.cuh"
#include "forces/mesh/cuda/transforms/cufft_library.cuh"

namespace dropmd {

/// A plan of cuFFT without memory of its own; neither copyable nor movable.
class CufftPlan {
 public:
  /// Lines or planes of `n` real or complex values, row-major. stride, distance: between the values of a line, and
  /// between the first values of neighbouring transforms.
  struct Layout {
    std::vector<long long> size;
    long long stride, distance;
  };

  CufftPlan(std::vector<long long> n, Layout in, Layout out, cufftType type, long long batch) {
    const CufftLibrary& cufft = CufftLibrary::get();
    check_cufft(cufft.create(&plan_), kPlanning);
    check_cufft(cufft.set_auto_allocation(plan_, 0), kPlanning);
    check_cufft(cufft.make_plan_many(plan_, static_cast<int>(n.size()), n.data(), in.size.data(), in.stride,
                                     in.distance, out.size.data(), out.stride, out.distance, type, batch, &workspace_),
                kPlanning);
  }
  ~CufftPlan() {
    if (plan_ != kNone) CufftLibrary::get().destroy(plan_);
  }
  CufftPlan(const CufftPlan&) = delete;
  CufftPlan& operator=(const CufftPlan&) = delete;

  /// Returns the plan for transforms on a stream, until the next call.
  cufftHandle on(const Cuda& cuda) const {
    check_cufft(CufftLibrary::get().set_stream(plan_, cuda.get()), "transforming a mesh");
    return plan_;
  }
  std::size_t workspace() const { return workspace_; }
  void set_workspace(void* d_workspace) const {
    check_cufft(CufftLibrary::get().set_work_area(plan_, d_workspace), kPlanning);
  }

 private:
  static constexpr cufftHandle kNone = -1;
  static constexpr const char* kPlanning = "planning the transforms of a mesh";

  cufftHandle plan_ = kNone;
  std::size_t workspace_ = 0;
};

/// cuFFT's names for a precision. Functions run on the stream of the plan (CufftPlan::on()).
template <class Real>
struct Cufft;
template <>
struct Cufft<float> {
  static constexpr cufftType kForward = CUFFT_R2C, kBackward = CUFFT_C2R, kComplex = CUFFT_C2C;
  using Complex = cufftComplex;
  static cufftResult forward(cufftHandle plan, float* in, Complex* out) {
    return CufftLibrary::get().exec_r2c(plan, in, out);
  }
  static cufftResult backward(cufftHandle plan, Complex* in, float* out) {
    return CufftLibrary::get().exec_c2r(plan, in, out);
  }
  static cufftResult complex(cufftHandle plan, Complex* in, Complex* out, int direction) {
    return CufftLibrary::get().exec_c2c(plan, in, out, direction);
  }
};
template <>
struct Cufft<double> {
  static constexpr cufftType kForward = CUFFT_D2Z, kBackward = CUFFT_Z2D, kComplex = CUFFT_Z2Z;
  using Complex = cufftDoubleComplex;
  static cufftResult forward(cufftHandle plan, double* in, Complex* out) {
    return CufftLibrary::get().exec_d2z(plan, in, out);
  }
  static cufftResult backward(cufftHandle plan, Complex* in, double* out) {
    return CufftLibrary::get().exec_z2d(plan, in, out);
  }
  static cufftResult complex(cufftHandle plan, Complex* in, Complex* out, int direction) {
    return CufftLibrary::get().exec_z2z(plan, in, out, direction);
  }
};

}  // namespace dropmd
