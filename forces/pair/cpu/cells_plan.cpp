#include <algorithm>
#include <functional>
#include <limits>
#include <optional>

#include "forces/pair/cpu/chunk_plan.h"
#include "forces/pair/pair_forces.h"
#include "neighbor/cells/cell_offsets.h"

namespace dropmd {

namespace {

/// The smallest box around some atoms, relative to the origin of their cell.
template <class Real>
struct Bounds {
  Vec3<Real> low{kFar, kFar, kFar}, high{-kFar, -kFar, -kFar};
  static constexpr Real kFar = std::numeric_limits<Real>::max();

  void include(const LocalAtom<Real>& a) {
    low = {std::min(low.x, a.x), std::min(low.y, a.y), std::min(low.z, a.z)};
    high = {std::max(high.x, a.x), std::max(high.y, a.y), std::max(high.z, a.z)};
  }
};

/// Returns the squared distance of two boxes. shift: origin of a less origin of b.
template <class Real>
Real gap2(const Bounds<Real>& a, const Bounds<Real>& b, const Vec3<Real>& shift) {
  const auto gap = [](Real a_low, Real a_high, Real b_low, Real b_high, Real s) {
    return std::max({Real(0), b_low - (a_high + s), (a_low + s) - b_high});
  };
  const Real x = gap(a.low.x, a.high.x, b.low.x, b.high.x, shift.x);
  const Real y = gap(a.low.y, a.high.y, b.low.y, b.high.y, shift.y);
  const Real z = gap(a.low.z, a.high.z, b.low.z, b.high.z, shift.z);
  return x * x + y * y + z * z;
}

/// Linked cells: the atoms of a cell interact with the cells within the cutoff, except those whose atoms are all too
/// far from the chunk's.
template <class Real>
class CellsPlan final : public ChunkPlan<Real> {
 public:
  using Scratch = typename ChunkPlan<Real>::Scratch;

  CellsPlan(double cutoff, double edge)
      : edge_(edge),
        padded_cutoff_(cutoff + kMargin * edge),
        cull2_(static_cast<Real>(cutoff * cutoff * (1 + kMargin))) {}

  double edge() const override { return edge_; }

  void build(const CellGrid& grid, const LocalAtoms<Real>& atoms, std::uint32_t width) override {
    grid_ = grid.view();
    atoms_ = &atoms;
    offsets_ = offsets_within(edge_, padded_cutoff_, grid.cells().size());
    any_far_ = std::any_of(atoms.is_far.begin(), atoms.is_far.end(), std::identity{});
    bounds_.assign(grid.cells().size(), {});
    this->chunks_.clear();
    for (std::uint32_t c = 0; c < grid.cells().size(); ++c) {
      const Cell& cell = grid.cells()[c];
      for (std::uint32_t k = cell.begin; k < cell.end; ++k) bounds_[c].include(atoms.atom[k]);
      this->append_chunks(cell.begin, cell.end, width, c);
    }
  }

  std::span<const std::uint32_t> cells_met(const Chunk& chunk, Scratch& scratch) const override {
    if (scratch.cell != chunk.cell) find_cells_near(chunk.cell, scratch);
    Bounds<Real> mine;
    for (std::uint32_t k = chunk.begin; k < chunk.begin + chunk.count; ++k) mine.include(atoms_->atom[k]);
    const Vec3<Real>& o = atoms_->origin[chunk.cell];
    scratch.met.clear();
    for (const std::uint32_t c : scratch.near_cells) {
      const Vec3<Real> shift = any_far_ ? atoms_->shift(chunk.cell, c) : o - atoms_->origin[c];
      if (gap2(mine, bounds_[c], shift) < cull2_) scratch.met.push_back(c);
    }
    return scratch.met;
  }

 private:
  /// The rounding errors of cell boundaries (10⁻⁷ edges at index 2³⁰) and of positions in mixed precision are far below
  /// this fraction.
  static constexpr double kMargin = 1e-5;

  void find_cells_near(std::uint32_t cell, Scratch& scratch) const {
    scratch.cell = cell;
    scratch.near_cells.clear();
    const CellIndex& here = grid_.cells[cell].index;
    if (offsets_) {
      for (const CellIndex& offset : *offsets_)
        if (const std::uint32_t c = grid_.find(here + offset); c != kNoCell) scratch.near_cells.push_back(c);
      return;
    }
    const double cutoff2 = padded_cutoff_ * padded_cutoff_ / (edge_ * edge_);
    for (std::uint32_t c = 0; c < grid_.n_cells; ++c) {
      const CellIndex& there = grid_.cells[c].index;
      const auto gap = [](std::int32_t a, std::int32_t b) { return cell_gap(std::int64_t{a} - std::int64_t{b}); };
      const double x = gap(here.x, there.x), y = gap(here.y, there.y), z = gap(here.z, there.z);
      if (x * x + y * y + z * z < cutoff2) scratch.near_cells.push_back(c);
    }
  }

  double edge_, padded_cutoff_;
  Real cull2_;
  CellGridView grid_{};
  const LocalAtoms<Real>* atoms_ = nullptr;
  bool any_far_ = false;  ///< whether any cell is far
  std::optional<std::vector<CellIndex>> offsets_;
  std::vector<Bounds<Real>> bounds_;
};

}  // namespace

template <class Real>
std::unique_ptr<ChunkPlan<Real>> make_cells_plan(const PairModel& model, double edge) {
  return std::make_unique<CellsPlan<Real>>(model.cutoff(), edge);
}

template std::unique_ptr<ChunkPlan<float>> make_cells_plan(const PairModel&, double);
template std::unique_ptr<ChunkPlan<double>> make_cells_plan(const PairModel&, double);

}  // namespace dropmd
