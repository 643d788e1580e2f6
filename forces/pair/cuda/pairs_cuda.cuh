#pragma once

#include <algorithm>
#include <cmath>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "device/device_info.h"
#include "device/timer.cuh"
#include "forces/atoms_on_device.cuh"
#include "forces/pair/cuda/device_pairs.cuh"
#include "forces/pair/cuda/pairs_cuda.h"
#include "neighbor/position_grid.h"

namespace dropmd {

/// Pair forces on a GPU for positions in host memory.
template <class Real>
class PairsCuda final : public PairForces {
 public:
  PairsCuda(int device, Cpu cpu, const PairSearch& search, PairModel model, PairAtoms atoms)
      : cpu_(cpu),
        model_(std::move(model)),
        atoms_(atoms),
        search_(search),
        stream_((require_device(device), device)),
        cuda_{stream_},
        n_atoms_(static_cast<std::uint32_t>(atoms.charge.size())) {
    if (finds_neighbors(search_)) search_cutoff(model_);  // throws if there is none
  }

  PairSums evaluate(std::span<const Vec3<double>> position, std::span<Vec3<double>> force, Want want) override {
    if (n_atoms_ == 0) return {};
    stream_.activate();
    const Vec3<double> anchor = central_anchor(position, 1.0);
    // All memory is kept for this evaluation only: a run has its own memory, and the forces are a function of the
    // positions.
    AtomsOnDevice<Real> atoms(stream_, model_, position, atoms_.charge, atoms_.species, anchor, atoms_.excluded);
    ForceSums<Real>& sums = atoms.sums();
    const std::unique_ptr<DevicePairs<Real>> pairs = make_device_pairs<Real>(cuda_, model_, search_, n_atoms_, anchor);
    const DeviceMoment<Real> now = atoms.moment(pairs->displacement_check().state);
    pairs->reordered(cuda_, now);
    pairs->rebuild(cuda_, now);
    sums.add_in_fitting_scale(cuda_, [&](const ForceSumsView<Real>& view) { pairs->add_forces(cuda_, now, view); });
    sums.clear(cuda_);
    timer_.start(stream_);
    pairs->add_forces(cuda_, now, sums.view());
    timer_.stop(stream_);
    atoms.for_each_force(cuda_, [&](std::uint32_t index, const Vec3<double>& f) { force[index] = f; });
    device_seconds_ = timer_.seconds();
    PairSums total;
    if (want == Want::forces_and_energies) total = energies(*pairs, now);
    total.candidate_pairs = pairs->candidate_pairs();
    if (sums.errors().read()) {  // a force exceeds the range of fixed point
      const PairSums exact = make_all_pairs(cpu_, Precision::fp64, model_, atoms_)->evaluate(position, force, want);
      total.vdw = exact.vdw;
      total.coulomb = exact.coulomb;
    }
    return total;
  }

  std::optional<double> device_seconds() const override { return device_seconds_; }

 private:
  PairSums energies(const DevicePairs<Real>& pairs, const DeviceMoment<Real>& now) {
    d_energy_.resize(pairs.n_partial_energies());
    pairs.partial_energies(cuda_, now, d_energy_.data());
    std::vector<PartialEnergy> parts(d_energy_.size());
    d_energy_.download(parts);
    stream_.synchronize("computing energies");
    PartialEnergy sum{0, 0, 0};
    for (const PartialEnergy& part : parts) sum = sum + part;
    return {sum.vdw, sum.coulomb, sum.within, 0};
  }

  Cpu cpu_;
  PairModel model_;
  PairAtoms atoms_;
  PairSearch search_;
  Stream stream_;
  Cuda cuda_;
  std::uint32_t n_atoms_;
  Timer timer_;
  std::optional<double> device_seconds_;
  DeviceBuffer<PartialEnergy> d_energy_{stream_};
};

template <class Real>
std::unique_ptr<PairForces> make_pairs_cuda(int device, Cpu cpu, const PairSearch& search, const PairModel& model,
                                            PairAtoms atoms) {
  return std::make_unique<PairsCuda<Real>>(device, cpu, search, model, atoms);
}

}  // namespace dropmd
