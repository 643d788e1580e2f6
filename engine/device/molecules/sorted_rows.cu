#include "engine/device/molecules/sorted_rows.cuh"

#include <algorithm>
#include <cub/device/device_radix_sort.cuh>

namespace dropmd {

namespace {

constexpr std::uint32_t kThreads = 128;
const char* const kDoing = "ordering the molecules";

std::uint32_t blocks(std::uint32_t n) { return (n + kThreads - 1) / kThreads; }

/// Sets the key of each row, its first atom's storage index, and its number; one thread per row.
__global__ void __launch_bounds__(kThreads)
    row_keys_kernel(const std::uint32_t* at, SortedRows::Table table, std::uint32_t* key, std::uint32_t* order) {
  const std::uint32_t r = blockIdx.x * blockDim.x + threadIdx.x;
  if (r >= table.n_rows) return;
  key[r] = at[r * table.width];
  order[r] = r;
}

/// Copies rows and types into their order; one thread per row.
__global__ void __launch_bounds__(kThreads)
    order_rows_kernel(const std::uint32_t* at, const std::uint32_t* type, SortedRows::Table table,
                      const std::uint32_t* order, std::uint32_t* sorted_at, std::uint32_t* sorted_type) {
  const std::uint32_t r = blockIdx.x * blockDim.x + threadIdx.x;
  if (r >= table.n_rows) return;
  const std::uint32_t from = order[r];
  for (std::uint32_t k = 0; k < table.width; ++k) sorted_at[r * table.width + k] = at[from * table.width + k];
  sorted_type[r] = type[from];
}

void sort(const Cuda& cuda, void* scratch, std::size_t& bytes, cub::DoubleBuffer<std::uint32_t>& key,
          cub::DoubleBuffer<std::uint32_t>& order, std::uint32_t n) {
  DROPMD_CUDA(cub::DeviceRadixSort::SortPairs(scratch, bytes, key, order, n, 0, 32, cuda.get()), kDoing);
}

}  // namespace

void SortedRows::upload(const Cuda& cuda, std::size_t n_atoms) {
  std::uint32_t most = 0;
  for (const Table& table : tables_) most = std::max(most, table.n_rows);
  atoms_.upload(cuda, h_atom_, n_atoms);
  d_type_.upload(h_type_);
  d_at_.resize(h_atom_.size());
  d_sorted_type_.resize(h_type_.size());
  d_key_.resize(2 * std::size_t{most});
  d_order_.resize(2 * std::size_t{most});
  std::size_t bytes = 0;
  cub::DoubleBuffer<std::uint32_t> none(nullptr, nullptr);
  sort(cuda, nullptr, bytes, none, none, most);
  d_scratch_.resize(bytes);
  cuda.stream.synchronize("copying molecules to the device");
  h_atom_ = h_type_ = {};
}

void SortedRows::reordered(const Cuda& cuda, const std::uint32_t* host_index, std::uint32_t n_atoms) const {
  atoms_.reordered(cuda, host_index, n_atoms);
  const std::size_t half = d_key_.size() / 2;
  for (const Table& table : tables_) {
    if (table.n_rows == 0) continue;
    cub::DoubleBuffer<std::uint32_t> key(d_key_.data(), d_key_.data() + half);
    cub::DoubleBuffer<std::uint32_t> order(d_order_.data(), d_order_.data() + half);
    row_keys_kernel<<<blocks(table.n_rows), kThreads, 0, cuda.get()>>>(atoms_.at() + table.first_atom, table,
                                                                       key.Current(), order.Current());
    DROPMD_CUDA_LAUNCHED(kDoing);
    std::size_t bytes = d_scratch_.size();
    sort(cuda, d_scratch_.data(), bytes, key, order, table.n_rows);
    order_rows_kernel<<<blocks(table.n_rows), kThreads, 0, cuda.get()>>>(
        atoms_.at() + table.first_atom, d_type_.data() + table.first_row, table, order.Current(),
        d_at_.data() + table.first_atom, d_sorted_type_.data() + table.first_row);
    DROPMD_CUDA_LAUNCHED(kDoing);
  }
}

}  // namespace dropmd
