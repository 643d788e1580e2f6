#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cub/block/block_reduce.cuh>
#include <memory>
#include <string_view>
#include <tuple>
#include <vector>

#include "device/buffer.cuh"
#include "forces/bonded/bonded_term.h"
#include "forces/bonded/cuda/bonded_views.cuh"
#include "forces/bonded/present_terms.h"
#include "forces/term_atoms.cuh"

namespace dropmd {

namespace {

/// Adds the forces of all terms whose first atom is one of `owners`' own; one thread per term.
template <class Real>
__global__ void __launch_bounds__(BondedTuning::kThreads)
    bonded_forces_kernel(BondedViews terms, DeviceMoment<Real> now, ForceSumsView<Real> sums, AtomOwners owners) {
  if (!now.wants_forces()) return;
  terms.with_term(blockIdx.x, threadIdx.x, [&](const auto& kind, std::uint32_t k) {
    if (owners.has(kind.at[k])) kind.add_forces(k, now.position, sums);
  });
}

/// Marks the tiles of the atoms of these terms.
__global__ void __launch_bounds__(BondedTuning::kThreads)
    mark_bonded_kernel(BondedViews terms, AtomOwners owners, std::uint8_t* marked) {
  terms.with_term(blockIdx.x, threadIdx.x, [&](const auto& kind, std::uint32_t k) {
    if (owners.has(kind.at[k])) kind.for_each_atom(k, [&](std::uint32_t index) { marked[index / kTileAtoms] = 1; });
  });
}

/// Returns the sum over the threads of a block in thread 0, in a fixed order. All threads must call it.
__device__ double sum_of_bonded_block(double mine) {
  using Reduce = cub::BlockReduce<double, BondedTuning::kThreads>;
  __shared__ typename Reduce::TempStorage shared;
  __syncthreads();  // an earlier sum has been read
  return Reduce(shared).Sum(mine);
}

/// Sums the energies of each block. partial: [BondedViews::kMostEnergies][n_blocks].
__global__ void __launch_bounds__(BondedTuning::kThreads)
    bonded_energies_kernel(BondedViews terms, const Vec3<double>* position, double* partial) {
  double mine[BondedViews::kMostEnergies] = {};
  terms.with_term(blockIdx.x, threadIdx.x,
                  [&](const auto& kind, std::uint32_t k) { kind.add_energies(k, position, mine); });
  for (std::uint32_t e = 0; e < BondedViews::kMostEnergies; ++e) {
    const double sum = sum_of_bonded_block(mine[e]);
    if (threadIdx.x == 0) partial[e * std::size_t{gridDim.x} + blockIdx.x] = sum;
  }
}

/// A named energy as ranges of the partial sums: those of every kind that adds to it.
struct BondedEnergyParts {
  static constexpr std::uint32_t kMost = 2 * std::tuple_size_v<BondedPotentials>;
  struct Part {
    std::uint32_t name;   ///< index of the energy's name
    std::size_t first;    ///< index of the first partial sum
    std::uint32_t count;  ///< number of partial sums
  };
  Part part[kMost];
  std::uint32_t n = 0;
};

/// Sums the partial sums of each energy in a fixed order, by one block for each name.
__global__ void __launch_bounds__(BondedTuning::kThreads)
    bonded_energy_sums_kernel(BondedEnergyParts parts, const double* partial, double* energy) {
  double mine = 0;
  for (std::uint32_t p = 0; p < parts.n; ++p) {
    if (parts.part[p].name != blockIdx.x) continue;
    for (std::uint32_t k = threadIdx.x; k < parts.part[p].count; k += BondedTuning::kThreads)
      mine += partial[parts.part[p].first + k];
  }
  const double sum = sum_of_bonded_block(mine);
  if (threadIdx.x == 0) energy[blockIdx.x] = sum;
}

/// The potentials of one kind in device memory.
template <class Potential>
struct DeviceKind {
  DeviceBuffer<Potential> d_potential;
  explicit DeviceKind(const Stream& stream) : d_potential(stream) {}
};
template <class Potentials>
struct DeviceKindsOf;
template <class... Potential>
struct DeviceKindsOf<std::tuple<Potential...>> : DeviceKind<Potential>... {
  explicit DeviceKindsOf(const Stream& stream) : DeviceKind<Potential>(stream)... {}
  template <class P>
  DeviceBuffer<P>& of() {
    return DeviceKind<P>::d_potential;
  }
};

/// Returns the number of words that the partial sums of n_blocks blocks take.
std::size_t n_partial_sums(std::size_t n_blocks) { return BondedViews::kMostEnergies * n_blocks; }

/// Bonded terms in the steps on a GPU: one kernel for the forces of all kinds, and two for the energies. Forces are
/// computed in fp64 and rounded to the precision of the sums when they are added.
template <class Real>
class DeviceBonded final : public DeviceForceTerm<Real> {
 public:
  DeviceBonded(const Cuda& cuda, const Topology& topology, double coulomb_constant, const Particles& particles)
      : d_cell_(cuda.stream), kinds_(cuda.stream), atoms_(cuda.stream), d_partial_(cuda.stream) {
    const std::vector<CmapCell> cells = cmap_cells(topology.cmap_grids);
    d_cell_.upload(cells);
    const std::vector<CmapMap> maps = cmap_maps(topology.cmap_grids, d_cell_.data());
    const BondedContext context{coulomb_constant, maps};
    const PresentAtoms present_atoms(particles);
    std::vector<std::uint32_t> atom;
    std::vector<std::size_t> first_atom;
    for_each_bonded_potential([&]<class Potential>() {
      first_atom.push_back(atom.size());
      append<Potential>(cuda, topology.terms, context, present_atoms, atom);
    });
    d_partial_.resize(n_partial_sums(views_.blocks()));
    atoms_.upload(cuda, atom, particles.size());
    std::size_t kind = 0;
    for_each_bonded_potential([&]<class Potential>() {
      if (!atom.empty()) views_.template of<Potential>().at = atoms_.at() + first_atom[kind];
      ++kind;
    });
    name_energies(topology.terms);
  }

  void reordered(const Cuda& cuda, const DeviceMoment<Real>& now) override { atoms_.reordered(cuda, now); }

  void divide_by_owners(const AtomOwners& owners) override { owners_ = owners; }
  bool is_divided() const override { return owners_.owner != nullptr; }
  void mark_tiles(const Cuda& cuda, const DeviceMoment<Real>&, std::uint8_t* d_marked) const override {
    if (views_.blocks() == 0) return;
    mark_bonded_kernel<<<views_.blocks(), BondedTuning::kThreads, 0, cuda.get()>>>(views_, owners_, d_marked);
    DROPMD_CUDA_LAUNCHED("marking atoms of bonded terms");
  }

  void add_own_forces(const Cuda& cuda, const DeviceMoment<Real>& now, const ForceSumsView<Real>& sums) const override {
    add_forces_of(owners_, cuda, now, sums);
  }
  void add_forces(const Cuda& cuda, const DeviceMoment<Real>& now, const ForceSumsView<Real>& sums) const override {
    add_forces_of({}, cuda, now, sums);
  }

  void energies(const Cuda& cuda, const DeviceMoment<Real>& now, double* d_energy) const override {
    if (n_names_ == 0) return;
    if (views_.blocks() > 0) {
      bonded_energies_kernel<<<views_.blocks(), BondedTuning::kThreads, 0, cuda.get()>>>(views_, now.position,
                                                                                         d_partial_.data());
      DROPMD_CUDA_LAUNCHED("computing the energies of bonded terms");
    }
    bonded_energy_sums_kernel<<<n_names_, BondedTuning::kThreads, 0, cuda.get()>>>(parts_, d_partial_.data(), d_energy);
    DROPMD_CUDA_LAUNCHED("summing the energies of bonded terms");
  }

 private:
  void add_forces_of(const AtomOwners& owners, const Cuda& cuda, const DeviceMoment<Real>& now,
                     const ForceSumsView<Real>& sums) const {
    if (views_.blocks() == 0) return;
    bonded_forces_kernel<<<views_.blocks(), BondedTuning::kThreads, 0, cuda.get()>>>(views_, now, sums, owners);
    DROPMD_CUDA_LAUNCHED("computing bonded terms");
  }

  /// Copies the terms of a potential to the device, and appends their atoms, [kAtoms][n_terms].
  template <class Potential>
  void append(const Cuda& cuda, const BondedTerms& all, const BondedContext& context, const PresentAtoms& present_atoms,
              std::vector<std::uint32_t>& atom) {
    const auto& terms = terms_of<Potential>(all);
    const PresentTerms<typename Potential::Term> present(terms, present_atoms);
    std::vector<Potential> potential;
    potential.reserve(present.term.size());
    for (const std::uint32_t k : present.term) potential.emplace_back(terms[k], context);
    for (std::size_t a = 0; a < Potential::kAtoms; ++a)
      for (const auto& of_term : present.atom) atom.push_back(of_term[a]);
    DeviceBuffer<Potential>& d_potential = kinds_.template of<Potential>();
    d_potential.upload(potential);
    cuda.stream.synchronize("copying bonded terms to the device");
    const std::uint32_t first_block = views_.blocks();
    views_.template of<Potential>() = {d_potential.data(), nullptr, static_cast<std::uint32_t>(potential.size()),
                                       first_block};
  }

  /// Lists the partial sums of each energy.
  void name_energies(const BondedTerms& terms) {
    const std::vector<std::string_view> names = bonded_energy_names(terms);
    n_names_ = static_cast<std::uint32_t>(names.size());
    for_each_bonded_potential([&]<class Potential>() {
      const auto& kind = views_.template of<Potential>();
      if (kind.n == 0) return;
      for (std::size_t e = 0; e < Potential::kEnergies.size(); ++e) {
        const auto name = std::find(names.begin(), names.end(), Potential::kEnergies[e]) - names.begin();
        parts_.part[parts_.n++] = {static_cast<std::uint32_t>(name), e * views_.blocks() + kind.first_block,
                                   kind.blocks()};
      }
    });
  }

  DeviceBuffer<CmapCell> d_cell_;
  DeviceKindsOf<BondedPotentials> kinds_;
  TermAtoms atoms_;                 ///< of all terms, [kAtoms][n_terms] of each kind
  DeviceBuffer<double> d_partial_;  ///< [BondedViews::kMostEnergies][n_blocks]
  BondedViews views_{};
  BondedEnergyParts parts_{};
  AtomOwners owners_{};  ///< of several GPUs that divide the terms
  std::uint32_t n_names_ = 0;
};

}  // namespace

std::unique_ptr<DeviceForceTerm<float>> BondedTerm::on_gpu_in_mixed(const Cuda& cuda,
                                                                    const Particles& particles) const {
  return std::make_unique<DeviceBonded<float>>(cuda, *topology_, coulomb_constant_, particles);
}
std::unique_ptr<DeviceForceTerm<double>> BondedTerm::on_gpu_in_double(const Cuda& cuda,
                                                                      const Particles& particles) const {
  return std::make_unique<DeviceBonded<double>>(cuda, *topology_, coulomb_constant_, particles);
}

std::uint64_t BondedTerm::device_bytes(std::size_t n_atoms) const {
  std::uint64_t bytes = 0, blocks = 0;
  std::size_t n_term_atoms = 0;
  for (const CmapGrid& grid : topology_->cmap_grids) bytes += sizeof(CmapCell) * grid.size * grid.size;
  for_each_bonded_potential([&]<class Potential>() {
    const std::size_t n = terms_of<Potential>(topology_->terms).size();
    bytes += sizeof(Potential) * n;
    n_term_atoms += Potential::kAtoms * n;
    blocks += BondedTuning::blocks(n);
  });
  return bytes + TermAtoms::bytes(n_atoms, n_term_atoms) + sizeof(double) * n_partial_sums(blocks);
}

}  // namespace dropmd
