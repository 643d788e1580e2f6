#pragma once

#include <algorithm>
#include <atomic>

#include "core/parallel_for.h"
#include "maps/block_sum.h"

namespace dropmd {

/// Computes maps on the CPU, in blocks of points, each by one thread.
template <class Real, class Form, bool kCutoff, bool kField>
class CpuMapSum final : public MapSum {
 public:
  CpuMapSum(Cpu cpu, const MapModel& model, const Form& form) : cpu_(cpu), model_(model), form_(form) {}

  MapValues compute(const MapGrid& grid, MapCharges charges, const MapProgress& progress) override {
    using Block = BlockSum<Real, Form, kCutoff, kField>;
    const SortedCharges atoms(cpu_, charges, kCutoff ? kEdgeShare * model_.coulomb.at("cutoff") : 0);
    MapValues values;
    values.potential.resize(grid.n_points());
    if constexpr (kField) values.field.resize(grid.n_points());
    const PointBlocks blocks{grid.points, Block::kSize};
    const std::int64_t n_blocks = blocks.n_blocks(), at_once = std::int64_t{16} * cpu_.threads;
    std::atomic<std::uint64_t> near_points = 0, evaluations = 0;
    for (std::int64_t first = 0; first < n_blocks; first += at_once) {
      const std::int64_t last = std::min(n_blocks, first + at_once);
      parallel_for_with(
          cpu_, static_cast<std::size_t>(last - first), 1, [&] { return Block(model_, form_); },
          [&](Block& sum, std::size_t k) {
            const PointBlock block = blocks[first + static_cast<std::int64_t>(k)];
            sum.compute(atoms, grid, block);
            near_points += write(grid, block, sum, values);
            evaluations += sum.evaluations();
          });
      const auto done = grid.n_points() / static_cast<std::size_t>(n_blocks) * static_cast<std::size_t>(last);
      if (progress && !progress(last == n_blocks ? grid.n_points() : done, grid.n_points())) throw MapStopped{};
    }
    values.near_points = near_points;
    values.evaluations = evaluations;
    return values;
  }

 private:
  /// Edge of the cells over the cutoff: small enough that few of the visited atoms are beyond the cutoff.
  static constexpr double kEdgeShare = 1.0 / 3;

  /// Writes the values of a block. Returns the number of points closer than d_min to an atom.
  template <class Block>
  std::uint64_t write(const MapGrid& grid, const PointBlock& block, const Block& sum, MapValues& values) const {
    std::uint64_t near_points = 0;
    for (std::int32_t k = block.low.z; k < block.high.z; ++k)
      for (std::int32_t j = block.low.y; j < block.high.y; ++j)
        for (std::int32_t i = block.low.x; i < block.high.x; ++i) {
          const std::int32_t bi = i - block.low.x, bj = j - block.low.y, bk = k - block.low.z;
          const std::size_t p = grid.number(i, j, k);
          values.potential[p] = model_.coulomb_constant * sum.potential(bi, bj, bk);
          if constexpr (kField) values.field[p] = model_.coulomb_constant * sum.field(bi, bj, bk);
          near_points += sum.is_near(bi, bj, bk) ? 1 : 0;
        }
    return near_points;
  }

  Cpu cpu_;
  MapModel model_;
  Form form_;
};

/// Constructs the sum for the model's form.
template <class Real>
std::unique_ptr<MapSum> make_cpu_map_sum(Cpu cpu, const MapModel& model);

extern template std::unique_ptr<MapSum> make_cpu_map_sum<float>(Cpu, const MapModel&);
extern template std::unique_ptr<MapSum> make_cpu_map_sum<double>(Cpu, const MapModel&);

template <class Real>
std::unique_ptr<MapSum> make_cpu_map_sum(Cpu cpu, const MapModel& model) {
  std::unique_ptr<MapSum> sum;
  with_map_form<Real>(model, [&]<class Form, bool kCutoff>(const Form& form, std::bool_constant<kCutoff>) {
    if (model.field)
      sum = std::make_unique<CpuMapSum<Real, Form, kCutoff, true>>(cpu, model, form);
    else
      sum = std::make_unique<CpuMapSum<Real, Form, kCutoff, false>>(cpu, model, form);
  });
  return sum;
}

}  // namespace dropmd
