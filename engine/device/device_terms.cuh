#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <type_traits>
#include <vector>

#include "core/run/energies.h"
#include "device/buffer.cuh"
#include "device/pinned.cuh"
#include "forces/device_force_term.cuh"
#include "forces/many_atom_term.h"

namespace dropmd {

/// The terms of many atoms of a run on a GPU, in the order of the model, with their energies.
template <class Real>
class DeviceTerms {
 public:
  /// particles must outlive this.
  DeviceTerms(const Cuda& cuda, const ManyAtomTerms& terms, const Particles& particles) : d_energy_(cuda.stream) {
    for (const auto& term : terms) {
      if constexpr (std::is_same_v<Real, float>)
        terms_.push_back(term->on_gpu_in_mixed(cuda, particles));
      else
        terms_.push_back(term->on_gpu_in_double(cuda, particles));
      first_energy_.push_back(names_.size());
      for (const std::string_view name : term->energy_names()) names_.push_back(name);
    }
    d_energy_.resize(names_.size());
    if (!names_.empty()) h_energy_ = std::make_unique<Pinned<double>>(static_cast<std::uint32_t>(names_.size()));
  }

  /// These call the function of the same name of every term.
  void reordered(const Cuda& cuda, const DeviceMoment& now) {
    for (const auto& term : terms_) term->reordered(cuda, now);
  }
  void add_forces(const Cuda& cuda, const DeviceMoment& now, const ForceSumsView<Real>& sums) const {
    for (const auto& term : terms_) term->add_forces(cuda, now, sums);
  }
  /// Computes the energies of all terms.
  void sum_energies(const Cuda& cuda, const DeviceMoment& now) const {
    for (std::size_t k = 0; k < terms_.size(); ++k) terms_[k]->energies(cuda, now, d_energy_.data() + first_energy_[k]);
  }

  /// Starts a copy of the energies to the host, in stream order; add_read() adds them, after a wait.
  void start_reading() const {
    if (h_energy_) d_energy_.download(h_energy_->all());
  }
  void add_read(Energies& energies) const {
    for (std::size_t k = 0; k < names_.size(); ++k) energies.add(names_[k], h_energy_->all()[k]);
  }

 private:
  std::vector<std::unique_ptr<DeviceForceTerm<Real>>> terms_;
  std::vector<std::size_t> first_energy_;  ///< [terms_.size()] index of each term's first energy
  std::vector<std::string_view> names_;    ///< of the energies of all terms
  DeviceBuffer<double> d_energy_;          ///< [names_.size()]
  std::unique_ptr<Pinned<double>> h_energy_;
};

}  // namespace dropmd
