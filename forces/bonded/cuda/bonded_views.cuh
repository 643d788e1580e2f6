#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <tuple>

#include "core/vec3.h"
#include "forces/bonded/potentials/bonded_potentials.h"
#include "forces/device_force_term.cuh"

namespace dropmd {

/// Launch shape of the kernels over bonded terms: one thread per term, and each block has terms of one kind, so that
/// its threads don't diverge.
struct BondedTuning {
  static constexpr std::uint32_t kThreads = 128;
  static constexpr std::uint32_t blocks(std::size_t n) {
    return static_cast<std::uint32_t>((n + kThreads - 1) / kThreads);
  }
};

/// The terms of one potential in device memory.
template <class Potential>
struct BondedKindView {
  const Potential* potential;  ///< [n]
  const std::uint32_t* at;     ///< [kAtoms][n] storage indices of the atoms
  std::uint32_t n;             ///< number of terms
  std::uint32_t first_block;   ///< the first block of kernels over all kinds that has terms of this kind

  std::uint32_t blocks() const { return BondedTuning::blocks(n); }

#if defined(__CUDACC__)
  /// Reads where the atoms of term k are. position: [n_atoms] by storage index.
  __device__ void read(std::uint32_t k, const Vec3<double>* position, std::uint32_t (&index)[Potential::kAtoms],
                       Vec3<double> (&x)[Potential::kAtoms]) const {
    DROPMD_UNROLL
    for (std::uint32_t a = 0; a < Potential::kAtoms; ++a) {
      index[a] = at[a * std::size_t{n} + k];
      x[a] = position[index[a]];
    }
  }
  /// Calls use(storage index) for the atoms of term k.
  template <class Use>
  __device__ void for_each_atom(std::uint32_t k, const Use& use) const {
    for (std::uint32_t a = 0; a < Potential::kAtoms; ++a) use(at[a * std::size_t{n} + k]);
  }

  /// Adds the forces of term k.
  template <class Real>
  __device__ void add_forces(std::uint32_t k, const Vec3<double>* position, const ForceSumsView<Real>& sums) const {
    std::uint32_t index[Potential::kAtoms];
    Vec3<double> x[Potential::kAtoms];
    read(k, position, index, x);
    const auto value = potential[k](x);
    DROPMD_UNROLL
    for (std::uint32_t a = 0; a < Potential::kAtoms; ++a) {
      const Vec3<double>& f = value.force[a];
      sums.add(index[a], {static_cast<Real>(f.x), static_cast<Real>(f.y), static_cast<Real>(f.z)});
    }
  }

  /// Adds the energies of term k. energy: at least kEnergies.size() of them.
  __device__ void add_energies(std::uint32_t k, const Vec3<double>* position, double* energy) const {
    std::uint32_t index[Potential::kAtoms];
    Vec3<double> x[Potential::kAtoms];
    read(k, position, index, x);
    const auto value = potential[k](x);
    DROPMD_UNROLL
    for (std::uint32_t e = 0; e < Potential::kEnergies.size(); ++e) energy[e] += value.energy[e];
  }
#endif
};

/// The terms of all potentials, as kernels take them.
template <class Potentials>
struct BondedViewsOf;
template <class... Potential>
struct BondedViewsOf<std::tuple<Potential...>> : BondedKindView<Potential>... {
  /// The largest number of energies of a potential.
  static constexpr std::uint32_t kMostEnergies = static_cast<std::uint32_t>(std::max({Potential::kEnergies.size()...}));

  template <class P>
  BondedKindView<P>& of() {
    return *this;
  }
  std::uint32_t blocks() const { return (0 + ... + BondedKindView<Potential>::blocks()); }

#if defined(__CUDACC__)
  /// Calls visit(kind, index of the term) for the term of a thread, if there is one.
  template <class Visit>
  __device__ void with_term(std::uint32_t block, std::uint32_t thread, const Visit& visit) const {
    (with_term_of(static_cast<const BondedKindView<Potential>&>(*this), block, thread, visit), ...);
  }

 private:
  template <class Kind, class Visit>
  static __device__ void with_term_of(const Kind& kind, std::uint32_t block, std::uint32_t thread, const Visit& visit) {
    if (block < kind.first_block) return;
    const std::uint64_t k = std::uint64_t{block - kind.first_block} * BondedTuning::kThreads + thread;
    if (k < kind.n) visit(kind, static_cast<std::uint32_t>(k));
  }
#endif
};
using BondedViews = BondedViewsOf<BondedPotentials>;

}  // namespace dropmd
