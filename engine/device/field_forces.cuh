#pragma once

#include <cstdint>
#include <optional>

#include "device/pinned.cuh"
#include "engine/device/step_view.cuh"

namespace dropmd {

#if defined(__CUDACC__)
/// Computes the forces of the one-body terms at the positions of a complete step; one thread per atom. force: [n_atoms]
/// by storage index.
template <class Real>
__global__ void field_forces_kernel(const __grid_constant__ StepView<Real> step, std::uint64_t now,
                                    Vec3<double>* force) {
  const std::uint32_t k = blockIdx.x * blockDim.x + threadIdx.x;
  if (k < step.atoms.n_atoms)
    force[k] = step.is_site(k) ? Vec3<double>{} : step.with_fields({}, k, step.atoms.position[k], now);
}
#endif

/// The forces of the one-body terms as the device computes them, for observers: the force sums contain only the other
/// terms. Without one-body terms it has no memory and does nothing.
class FieldForces {
 public:
  FieldForces(const Stream& stream, const AtomTerms& fields, std::uint32_t n_atoms) : d_force_(stream) {
    if (!fields.acts()) return;
    d_force_.resize(n_atoms);
    h_force_.emplace(n_atoms);
  }

  static std::uint64_t bytes(std::uint64_t n_atoms) { return sizeof(Vec3<double>) * n_atoms; }

  /// Enqueues the computation for the present positions, those of the complete step `now`.
  template <class Real>
  void compute(const Cuda& cuda, const StepView<Real>& step, std::int64_t now) const {
    if (!h_force_) return;
    constexpr std::uint32_t kThreads = 128;
    field_forces_kernel<<<(step.atoms.n_atoms + kThreads - 1) / kThreads, kThreads, 0, cuda.get()>>>(
        step, static_cast<std::uint64_t>(now), d_force_.data());
    DROPMD_CUDA_LAUNCHED("computing the forces of fields");
  }

  /// Starts a copy to the host on a stream that is ordered after the computation.
  void start_download(const Stream& on) const {
    if (!h_force_) return;
    DROPMD_CUDA(cudaMemcpyAsync(h_force_->get(), d_force_.data(), h_force_->all().size_bytes(), cudaMemcpyDeviceToHost,
                                on.get()),
                "copying the forces of fields from the device");
  }
  /// Returns the force on the atom with a storage index, after a wait.
  Vec3<double> what_was_read(std::uint32_t index) const { return h_force_ ? h_force_->all()[index] : Vec3<double>{}; }

 private:
  DeviceBuffer<Vec3<double>> d_force_;  ///< [n_atoms] by storage index
  std::optional<Pinned<Vec3<double>>> h_force_;
};

}  // namespace dropmd
