#include <numeric>

#include "forces/pair/cpu/chunk_plan.h"

namespace dropmd {

namespace {

/// Every chunk of the spatial order interacts with every cell.
template <class Real>
class AllPairsPlan final : public ChunkPlan<Real> {
 public:
  explicit AllPairsPlan(double edge) : edge_(edge) {}

  double edge() const override { return edge_; }

  void build(const CellGrid& grid, const LocalAtoms<Real>&, std::uint32_t width) override {
    this->chunks_.clear();
    this->append_chunks(0, static_cast<std::uint32_t>(grid.order().size()), width, kNoCell);
    everyone_.resize(grid.cells().size());
    std::iota(everyone_.begin(), everyone_.end(), 0U);
  }

  std::span<const std::uint32_t> cells_met(const Chunk&, typename ChunkPlan<Real>::Scratch&) const override {
    return everyone_;
  }

 private:
  double edge_;
  std::vector<std::uint32_t> everyone_;
};

}  // namespace

template <class Real>
std::unique_ptr<ChunkPlan<Real>> make_all_pairs_plan(const PairModel& model) {
  return std::make_unique<AllPairsPlan<Real>>(PositionGrid::for_contact_distance(model.smallest_r_min()).max_edge);
}

template std::unique_ptr<ChunkPlan<float>> make_all_pairs_plan(const PairModel&);
template std::unique_ptr<ChunkPlan<double>> make_all_pairs_plan(const PairModel&);

}  // namespace dropmd
