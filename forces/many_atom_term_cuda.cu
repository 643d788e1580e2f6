#include "forces/many_atom_term_cuda.h"

#include <numeric>
#include <utility>
#include <vector>

#include "device/buffer.cuh"
#include "device/device_info.h"
#include "forces/device_force_term.cuh"
#include "forces/pair/cuda/all_pairs/tile_forces.cuh"

namespace dropmd {

namespace {

std::unique_ptr<DeviceForceTerm<float>> term_on(const Cuda& cuda, const ManyAtomTerm& term, const Particles& particles,
                                                float) {
  return term.on_gpu_in_mixed(cuda, particles);
}
std::unique_ptr<DeviceForceTerm<double>> term_on(const Cuda& cuda, const ManyAtomTerm& term, const Particles& particles,
                                                 double) {
  return term.on_gpu_in_double(cuda, particles);
}

/// A term on a GPU whose atoms have the order of the host.
template <class Real>
class GpuForceTerm final : public ForceTerm {
 public:
  GpuForceTerm(const ManyAtomTerm& term, int device, Cpu cpu, const PairModel& model, const Particles& particles)
      : names_(term.energy_names()),
        on_host_(term.on_host(cpu, particles)),
        stream_((require_device(device), device)),
        cuda_{stream_},
        n_atoms_(static_cast<std::uint32_t>(particles.size())),
        term_(term_on(cuda_, term, particles, Real{})),
        sums_(stream_, model, particles.charge),
        d_position_(stream_),
        d_charge_(stream_),
        d_host_index_(stream_),
        d_energy_(stream_) {
    std::vector<std::uint32_t> host_index(n_atoms_);
    std::iota(host_index.begin(), host_index.end(), 0U);
    d_host_index_.upload(host_index);
    d_charge_.upload(particles.charge);
    d_position_.resize(n_atoms_);
    d_energy_.resize(names_.size());
    stream_.synchronize("copying the atoms to the device");
  }

  std::vector<std::string_view> energy_names() const override { return names_; }
  Invariance invariance() const override { return on_host_->invariance(); }

  void evaluate(const Moment& now, Want want, bool first, std::span<Vec3<double>> force, Energies& energies) override {
    if (n_atoms_ == 0) return;
    stream_.activate();
    d_position_.upload(now.position);
    const DeviceMoment moment{d_position_.data(), d_charge_.data(), d_host_index_.data(), n_atoms_, nullptr, nullptr};
    term_->reordered(cuda_, moment);
    sums_.errors().clear();
    sums_.clear(cuda_);
    sums_.add_in_fitting_scale(cuda_, [&](const ForceSumsView<Real>& sums) { term_->add_forces(cuda_, moment, sums); });
    const std::vector<Vec3<double>> sums = sums_.download(cuda_, n_atoms_);
    if (sums_.errors().read()) return on_host_->evaluate(now, want, first, force, energies);
    for (std::uint32_t k = 0; k < n_atoms_; ++k) force[k] = first ? sums[k] : force[k] + sums[k];
    if (want == Want::forces) return;
    std::vector<double> energy(names_.size());
    term_->energies(cuda_, moment, d_energy_.data());
    d_energy_.download(energy);
    stream_.synchronize("computing energies");
    for (std::size_t k = 0; k < names_.size(); ++k) energies.add(names_[k], energy[k]);
  }

  void add_reference(Cpu cpu, const Moment& now, std::span<const std::uint32_t> sample,
                     std::span<AtomSums> sums) const override {
    on_host_->add_reference(cpu, now, sample, sums);
  }
  void add_reference_energies(Cpu cpu, const Moment& now, Energies& energies) const override {
    on_host_->add_reference_energies(cpu, now, energies);
  }

 private:
  std::vector<std::string_view> names_;
  std::unique_ptr<ForceTerm> on_host_;
  Stream stream_;
  Cuda cuda_;
  std::uint32_t n_atoms_;
  std::unique_ptr<DeviceForceTerm<Real>> term_;
  ForceSums<Real> sums_;
  DeviceBuffer<Vec3<double>> d_position_;
  DeviceBuffer<double> d_charge_;
  DeviceBuffer<std::uint32_t> d_host_index_;
  DeviceBuffer<double> d_energy_;
};

}  // namespace

std::unique_ptr<ForceTerm> on_gpu(const ManyAtomTerm& term, int device, Precision precision, Cpu cpu,
                                  const PairModel& model, const Particles& particles) {
  if (precision == Precision::mixed) return std::make_unique<GpuForceTerm<float>>(term, device, cpu, model, particles);
  return std::make_unique<GpuForceTerm<double>>(term, device, cpu, model, particles);
}

}  // namespace dropmd
