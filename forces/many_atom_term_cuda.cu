#include "forces/many_atom_term_cuda.h"

#include <utility>
#include <vector>

#include "device/buffer.cuh"
#include "device/device_info.h"
#include "forces/atoms_on_device.cuh"
#include "forces/device_forces.cuh"

namespace dropmd {

namespace {

/// A term on a GPU for positions in host memory.
template <class Real>
class GpuForceTerm final : public ForceTerm {
 public:
  GpuForceTerm(const ManyAtomTerm& term, int device, Cpu cpu, const PairModel& model, const Particles& particles)
      : names_(term.energy_names()),
        on_host_(term.on_host(cpu, particles)),
        stream_((require_device(device), device)),
        cuda_{stream_},
        particles_(particles),
        model_(model),
        term_(device_term<Real>(cuda_, term, particles)),
        d_energy_(stream_) {
    d_energy_.resize(names_.size());
    stream_.synchronize("copying a force term to the device");
  }

  std::vector<std::string_view> energy_names() const override { return names_; }

  void evaluate(const Moment& now, Want want, bool first, std::span<Vec3<double>> force, Energies& energies) override {
    if (now.position.empty()) return;
    stream_.activate();
    AtomsOnDevice<Real> atoms(stream_, model_, now.position, particles_.charge, particles_.pair_species,
                              central_anchor(now.position, 1.0));
    const DeviceMoment<Real> moment = atoms.moment();
    term_->reordered(cuda_, moment);
    term_->rebuild(cuda_, moment);
    term_->refresh(cuda_, moment);
    atoms.sums().add_in_fitting_scale(cuda_,
                                      [&](const ForceSumsView<Real>& sums) { term_->add_forces(cuda_, moment, sums); });
    if (atoms.sums().errors().read()) return on_host_->evaluate(now, want, first, force, energies);
    atoms.for_each_force(
        cuda_, [&](std::uint32_t index, const Vec3<double>& f) { force[index] = first ? f : force[index] + f; });
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
  const Particles& particles_;
  PairModel model_;
  std::unique_ptr<DeviceForceTerm<Real>> term_;
  DeviceBuffer<double> d_energy_;
};

}  // namespace

std::unique_ptr<ForceTerm> on_gpu(const ManyAtomTerm& term, int device, Precision precision, Cpu cpu,
                                  const PairModel& model, const Particles& particles) {
  if (precision == Precision::mixed) return std::make_unique<GpuForceTerm<float>>(term, device, cpu, model, particles);
  return std::make_unique<GpuForceTerm<double>>(term, device, cpu, model, particles);
}

}  // namespace dropmd
