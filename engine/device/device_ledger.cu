#include "engine/device/device_ledger.cuh"

#include <thrust/iterator/counting_iterator.h>
#include <algorithm>
#include <cub/device/device_reduce.cuh>
#include <utility>
#include <vector>

#include "core/macros.h"

namespace dropmd {

struct AddLedgerSums {
  DROPMD_HOST_DEVICE LedgerSums operator()(LedgerSums a, const LedgerSums& b) const {
    for (std::size_t k = 0; k < kAtomCauses; ++k) a.of[k] += b.of[k];
    return a;
  }
};

/// Returns the bookings of the atom with an index.
struct LedgerSumsOfAtom {
  LedgerView ledger;

  DROPMD_HOST_DEVICE LedgerSums operator()(std::uint32_t i) const {
    const double* const booked[kAtomCauses] = {ledger.bath, ledger.field, ledger.recentring, ledger.momentum};
    LedgerSums sums;
    for (std::size_t k = 0; k < kAtomCauses; ++k)
      if (booked[k] != nullptr) sums.of[k] = booked[k][i];
    return sums;
  }
};

DeviceLedger::DeviceLedger(const Stream& stream, const CauseSet& causes, double per_mv2, std::uint32_t n_atoms)
    : causes_(causes), n_atoms_(n_atoms), d_booked_(stream), d_saved_(stream), d_sums_(stream), d_scratch_(stream) {
  *h_sums_ = {};
  if (!causes.any()) return;
  d_booked_.resize(causes.size() * n_atoms);
  d_saved_.resize(causes.size() * n_atoms);
  d_booked_.zero();
  d_sums_.resize(1);
  double* next = d_booked_.data();
  const auto place_of = [&](Cause cause) {
    if (!causes.has(cause)) return static_cast<double*>(nullptr);
    return std::exchange(next, next + n_atoms);
  };
  view_ = {place_of(Cause::bath), place_of(Cause::field), place_of(Cause::recentring), place_of(Cause::momentum),
           per_mv2};
  std::size_t bytes = 0;
  reduce({stream}, nullptr, bytes);
  d_scratch_.resize(bytes);
}

void DeviceLedger::reduce(const Cuda& cuda, void* scratch, std::size_t& bytes) const {
  DROPMD_CUDA(
      cub::DeviceReduce::TransformReduce(scratch, bytes, thrust::counting_iterator<std::uint32_t>(0), d_sums_.data(),
                                         n_atoms_, AddLedgerSums{}, LedgerSumsOfAtom{view_}, LedgerSums{}, cuda.get()),
      "summing the ledger");
}

void DeviceLedger::sum(const Cuda& cuda) const {
  if (!causes_.any()) return;
  std::size_t bytes = d_scratch_.size();
  reduce(cuda, d_scratch_.data(), bytes);
}

void DeviceLedger::start_reading() const { d_sums_.store(h_sums_); }

Ledger DeviceLedger::what_was_read() const {
  Ledger ledger{.causes = causes_};
  std::copy_n(h_sums_->of, kAtomCauses, ledger.booked.begin());
  return ledger;
}

void DeviceLedger::copy(const Cuda& cuda, const DeviceBuffer<double>& from, const DeviceBuffer<double>& to) {
  if (from.size() == 0) return;
  DROPMD_CUDA(
      cudaMemcpyAsync(to.data(), from.data(), from.size() * sizeof(double), cudaMemcpyDeviceToDevice, cuda.get()),
      "copying the ledger");
}

Bookings DeviceLedger::download(const Cuda& cuda) const {
  Bookings bookings;
  if (!causes_.any()) return bookings;
  std::vector<double> all(d_booked_.size());
  d_booked_.download(all);
  cuda.stream.synchronize("reading the ledger");
  auto from = all.cbegin();
  for (std::size_t k = 0; k < kAtomCauses; ++k) {
    if (!causes_.has(static_cast<Cause>(k))) continue;
    bookings.by_atom[k].assign(from, from + n_atoms_);
    from += n_atoms_;
  }
  return bookings;
}

void DeviceLedger::upload(const Cuda& cuda, const Bookings& bookings) {
  if (!causes_.any()) return;
  std::vector<double> all;
  for (std::size_t k = 0; k < kAtomCauses; ++k) {
    if (!causes_.has(static_cast<Cause>(k))) continue;
    const std::vector<double>& booked = bookings.by_atom[k];
    all.insert(all.end(), booked.begin(), booked.end());
    if (booked.empty()) all.resize(all.size() + n_atoms_, 0.0);
  }
  d_booked_.upload(all);
  cuda.stream.synchronize("setting the ledger");
}

}  // namespace dropmd
