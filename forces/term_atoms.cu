#include "forces/term_atoms.cuh"

namespace dropmd {

namespace {

constexpr std::uint32_t kThreads = 128;

std::uint32_t blocks(std::size_t n) { return static_cast<std::uint32_t>((n + kThreads - 1) / kThreads); }

/// Finds the storage index of every atom of the host: index_of[host index]; one thread per atom.
__global__ void __launch_bounds__(kThreads)
    storage_indices_kernel(const std::uint32_t* host_index, std::uint32_t n_atoms, std::uint32_t* index_of) {
  const std::uint32_t k = blockIdx.x * blockDim.x + threadIdx.x;
  if (k < n_atoms) index_of[host_index[k]] = k;
}

/// Sets the storage indices of the atoms of terms; one thread for each of n. atom: [n] host indices.
__global__ void __launch_bounds__(kThreads)
    term_atoms_kernel(const std::uint32_t* atom, const std::uint32_t* index_of, std::size_t n, std::uint32_t* at) {
  const std::size_t k = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (k < n) at[k] = atom[k] == TermAtoms::kNoAtom ? TermAtoms::kNoAtom : index_of[atom[k]];
}

}  // namespace

void TermAtoms::upload(const Cuda& cuda, std::span<const std::uint32_t> atom, std::size_t n_atoms) {
  d_atom_.upload(atom);
  d_at_.resize(atom.size());
  d_index_of_.resize(n_atoms);
  cuda.stream.synchronize("copying the atoms of terms to the device");
}

void TermAtoms::reordered(const Cuda& cuda, const std::uint32_t* host_index, std::uint32_t n_atoms) const {
  if (size() == 0) return;
  storage_indices_kernel<<<blocks(n_atoms), kThreads, 0, cuda.get()>>>(host_index, n_atoms, d_index_of_.data());
  DROPMD_CUDA_LAUNCHED("finding the atoms of terms");
  term_atoms_kernel<<<blocks(size()), kThreads, 0, cuda.get()>>>(d_atom_.data(), d_index_of_.data(), size(),
                                                                 d_at_.data());
  DROPMD_CUDA_LAUNCHED("finding the atoms of terms");
}

}  // namespace dropmd
