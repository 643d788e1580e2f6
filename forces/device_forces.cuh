#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "core/run/energies.h"
#include "device/buffer.cuh"
#include "device/pinned.cuh"
#include "forces/device_force_term.cuh"
#include "forces/many_atom_term.h"
#include "forces/pair/cuda/device_pairs.cuh"

namespace dropmd {

/// Returns a term on the GPU in the precision of Real.
template <class Real>
std::unique_ptr<DeviceForceTerm<Real>> device_term(const Cuda& cuda, const ManyAtomTerm& term,
                                                   const Particles& particles) {
  if constexpr (std::is_same_v<Real, float>)
    return term.on_gpu_in_mixed(cuda, particles);
  else
    return term.on_gpu_in_double(cuda, particles);
}

/// The forces of many atoms on a GPU: one list of terms, the pair forces first, then the others in the order of the
/// model. Its functions call the function of the same name of every term.
template <class Real>
class DeviceForces {
 public:
  /// particles must outlive this.
  DeviceForces(const Cuda& cuda, std::unique_ptr<DevicePairs<Real>> pairs, const ManyAtomTerms& terms,
               const Particles& particles)
      : pairs_(*pairs), d_energy_(cuda.stream) {
    terms_.push_back(std::move(pairs));
    for (const auto& term : terms) {
      terms_.push_back(device_term<Real>(cuda, *term, particles));
      first_energy_.push_back(names_.size());
      for (const std::string_view name : term->energy_names()) names_.push_back(name);
    }
    d_energy_.resize(names_.size());
    if (!names_.empty()) h_energy_ = std::make_unique<Pinned<double>>(static_cast<std::uint32_t>(names_.size()));
  }

  /// The pair forces, with the neighbour structure.
  DevicePairs<Real>& pairs() { return pairs_; }
  const DevicePairs<Real>& pairs() const { return pairs_; }

  void reordered(const Cuda& cuda, const DeviceMoment<Real>& now) {
    for (const auto& term : terms_) term->reordered(cuda, now);
  }
  void rebuild(const Cuda& cuda, const DeviceMoment<Real>& now) {
    for (const auto& term : terms_) term->rebuild(cuda, now);
  }
  void refresh(const Cuda& cuda, const DeviceMoment<Real>& now) {
    for (const auto& term : terms_) term->refresh(cuda, now);
  }
  void save(const Cuda& cuda) {
    for (const auto& term : terms_) term->save(cuda);
  }
  void restore(const Cuda& cuda, const DeviceMoment<Real>& now) {
    for (const auto& term : terms_) term->restore(cuda, now);
  }
  std::vector<std::vector<double>> states() const {
    std::vector<std::vector<double>> states;
    for (const auto& term : terms_) states.push_back(term->state());
    return states;
  }
  /// Returns whether they can be states of these terms; none are of terms that keep nothing.
  bool set_states(std::span<const std::vector<double>> states) {
    bool fit = states.empty() || states.size() >= terms_.size();
    for (std::size_t k = 0; fit && k < terms_.size(); ++k)
      fit = terms_[k]->set_state(states.empty() ? std::span<const double>() : std::span<const double>(states[k]));
    return fit;
  }
  void add_forces(const Cuda& cuda, const DeviceMoment<Real>& now, const ForceSumsView<Real>& sums) const {
    for (const auto& term : terms_) term->add_forces(cuda, now, sums);
  }
  /// Computes the energies of all terms. d_pairs: [pairs().n_partial_energies()] those of the pairs.
  void energies(const Cuda& cuda, const DeviceMoment<Real>& now, PartialEnergy* d_pairs) const {
    pairs_.partial_energies(cuda, now, d_pairs);
    for (std::size_t k = 1; k < terms_.size(); ++k)
      terms_[k]->energies(cuda, now, d_energy_.data() + first_energy_[k - 1]);
  }

  bool reallocate(const Cuda& cuda) {
    bool any = false;
    for (const auto& term : terms_) any = term->reallocate(cuda) || any;
    return any;
  }
  std::uint32_t times_reallocated() const {
    std::uint32_t times = 0;
    for (const auto& term : terms_) times += term->times_reallocated();
    return times;
  }

  void start_reading() const {
    for (const auto& term : terms_) term->start_reading();
  }
  /// Starts a copy of the energies of all terms but the pairs to the host, in stream order; add_energies_read() adds
  /// them, after a wait.
  void start_reading_energies() const {
    if (h_energy_) d_energy_.download(h_energy_->all());
  }
  void add_energies_read(Energies& energies) const {
    for (std::size_t k = 0; k < names_.size(); ++k) energies.add(names_[k], h_energy_->all()[k]);
  }

 private:
  std::vector<std::unique_ptr<DeviceForceTerm<Real>>> terms_;  ///< the pairs first
  DevicePairs<Real>& pairs_;                                   ///< the first term
  std::vector<std::size_t> first_energy_;  ///< [terms_.size() - 1] index of the first energy of each other term
  std::vector<std::string_view> names_;    ///< of the energies of all other terms
  DeviceBuffer<double> d_energy_;          ///< [names_.size()]
  std::unique_ptr<Pinned<double>> h_energy_;
};

}  // namespace dropmd
