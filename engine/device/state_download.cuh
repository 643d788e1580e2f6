#pragma once

#include <optional>
#include <span>

#include "core/ordered_sum.h"
#include "device/event.cuh"
#include "device/pinned.cuh"
#include "engine/device/device_state.cuh"
#include "engine/device/field_forces.cuh"
#include "forces/pair/cuda/all_pairs/tile_forces.cuh"

namespace dropmd {

/// Page-locked memory for a field, once it is needed.
template <class T>
using FieldPinned = std::optional<Pinned<T>>;

/// Copies a state to the host on a separate stream, while steps are being performed.
class StateDownload {
 public:
  /// stream: of the steps; must outlive this object. cpu: threads that put the atoms into order.
  StateDownload(const Stream& stream, std::uint32_t n_atoms, Cpu cpu)
      : cpu_(cpu),
        copies_(stream.device()),
        ready_(stream),
        h_host_index_(n_atoms),
        h_sums_(ForceSums<float>::words(n_atoms)) {
    for_each_field<IsMoving>([&]<class Field>(Field) { Field::of(h_fields_).emplace(n_atoms); });
  }

  /// Copies must not outlive their destination.
  ~StateDownload() { cudaStreamSynchronize(copies_.get()); }
  StateDownload(const StateDownload&) = delete;
  StateDownload& operator=(const StateDownload&) = delete;

  /// Downloads wait for the work enqueued on `stream` so far, and for nothing after it.
  void mark(const Stream& stream) { ready_.record(stream); }

  /// Copies the state at the last mark into the order of Particles; waits. sums, fields: the two parts of the forces.
  /// force: [n_atoms].
  template <class Real>
  void operator()(const DeviceState& state, const ForceSums<Real>& sums, const FieldForces& fields,
                  Particles& particles, std::span<Vec3<double>> force) {
    const DeviceStateView atoms = state.view();
    ready_.hold(copies_);
    for_each_field<IsMoving>([&]<class Field>(Field) { start(*Field::of(h_fields_), Field::of(atoms)); });
    start(h_host_index_, atoms.host_index);
    sums.start_download(copies_, h_sums_.all());
    fields.start_download(copies_);
    copies_.synchronize("copying the atoms from the device");
    for_each_index(cpu_, atoms.n_atoms, [&](std::size_t i) {
      const auto k = static_cast<std::uint32_t>(i);
      for_each_field<IsMoving>(
          [&]<class Field>(Field) { Field::of(particles)[h_host_index_[k]] = (*Field::of(h_fields_))[k]; });
      force[h_host_index_[k]] = sums.force(h_sums_.all(), k) + fields.what_was_read(k);
    });
  }

 private:
  template <class T>
  void start(const Pinned<T>& to, const T* d_from) const {
    DROPMD_CUDA(cudaMemcpyAsync(to.get(), d_from, to.all().size_bytes(), cudaMemcpyDeviceToHost, copies_.get()),
                "copying the atoms from the device");
  }

  Cpu cpu_;
  Stream copies_;
  Event ready_;
  ParticleFields::Chosen<FieldPinned, IsMoving> h_fields_;
  Pinned<std::uint32_t> h_host_index_;
  Pinned<unsigned long long> h_sums_;
};

}  // namespace dropmd
