#pragma once

#include <cstdint>

#include "core/run/ledger.h"
#include "device/buffer.cuh"
#include "device/cuda.cuh"
#include "device/pinned.cuh"
#include "engine/device/ledger_view.cuh"

namespace dropmd {

/// What was booked, by cause; of an atom or of all.
struct LedgerSums {
  double of[kAtomCauses] = {};
};

/// The bookings of a run on the device. A run into which nothing comes has no memory for them, and nothing is launched.
class DeviceLedger {
 public:
  /// per_mv2: kinetic energy of a unit of mass (length/time)². Begins at zero; stream: of the steps, outlives this.
  DeviceLedger(const Stream& stream, const CauseSet& causes, double per_mv2, std::uint32_t n_atoms);

  const LedgerView& view() const { return view_; }

  /// Enqueues the sums over all atoms, whose order is fixed for a device model and a number of atoms.
  void sum(const Cuda& cuda) const;
  /// Starts a copy of the sums to the host; what was read of them, after a wait.
  void start_reading() const;
  Ledger what_was_read() const;

  /// Enqueues a copy of the bookings; goes back to it.
  void save(const Cuda& cuda) const { copy(cuda, d_booked_, d_saved_); }
  void restore(const Cuda& cuda) const { copy(cuda, d_saved_, d_booked_); }

  /// These two wait.
  Bookings download(const Cuda& cuda) const;
  /// A cause without bookings begins at zero.
  void upload(const Cuda& cuda, const Bookings& bookings);

 private:
  void reduce(const Cuda& cuda, void* scratch, std::size_t& bytes) const;
  static void copy(const Cuda& cuda, const DeviceBuffer<double>& from, const DeviceBuffer<double>& to);

  CauseSet causes_;
  std::uint32_t n_atoms_;
  DeviceBuffer<double> d_booked_, d_saved_;  ///< [causes of the run][n_atoms]
  DeviceBuffer<LedgerSums> d_sums_;
  DeviceBuffer<unsigned char> d_scratch_;
  Pinned<LedgerSums> h_sums_;
  LedgerView view_;
};

}  // namespace dropmd
