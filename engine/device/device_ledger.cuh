#pragma once

#include <cstdint>

#include "core/run/ledger.h"
#include "device/buffer.cuh"
#include "device/cuda.cuh"
#include "device/pinned.cuh"
#include "engine/device/ledger_view.cuh"

namespace dropmd {

/// Booked energy by cause, of one atom or of all atoms.
struct LedgerSums {
  double of[kAtomCauses] = {};
};

/// The bookings of a run on the device. If nothing changes the energy of a run from outside, it allocates no memory and
/// launches no kernel.
class DeviceLedger {
 public:
  /// per_mv2: kinetic energy per mass (length/time)². All bookings begin at zero. stream: of the steps, must outlive
  /// this object.
  DeviceLedger(const Stream& stream, const CauseSet& causes, double per_mv2, std::uint32_t n_atoms);

  const LedgerView& view() const { return view_; }

  /// Enqueues the sums over all atoms. Their order is fixed for a device model and a number of atoms.
  void sum(const Cuda& cuda) const;
  /// Starts a copy of the sums to the host.
  void start_reading() const;
  /// Returns the sums that the last start_reading() copied, after a wait.
  Ledger what_was_read() const;

  /// Enqueue a copy of the bookings, and the return to that copy.
  void save(const Cuda& cuda) const { copy(cuda, d_booked_, d_saved_); }
  void restore(const Cuda& cuda) const { copy(cuda, d_saved_, d_booked_); }

  /// Returns the bookings of each atom; waits.
  Bookings download(const Cuda& cuda) const;
  /// Sets the bookings; a cause without bookings begins at zero. Waits.
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
