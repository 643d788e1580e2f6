#pragma once

#include <optional>
#include <vector>

#include "maps/map_model.h"
#include "maps/point_block.h"
#include "neighbor/cell_grid.h"

namespace dropmd {

/// The charged atoms of a map, those of a cell one after the other where it has a cutoff.
class SortedCharges {
 public:
  struct Atom {
    Vec3<double> position;
    double charge;
  };

  /// edge: of the cells; 0 for none, the atoms are then in file order.
  SortedCharges(Cpu cpu, MapCharges charges, double edge);

  std::span<const Atom> atoms() const { return atoms_; }
  const std::optional<CellGrid>& cells() const { return cells_; }

  /// Calls visit(begin, end) for runs of atoms() that have all that are nearer than `reach` to a box; always in the
  /// same order.
  template <class Visit>
  void visit_near(const SpaceBox& box, double reach, const Visit& visit) const {
    if (!cells_) return visit(std::size_t{0}, atoms_.size());
    const CellGridView view = cells_->view();
    const double edge = cells_->edge(), edge_inv = 1 / edge;
    const Vec3<double> more{reach, reach, reach};
    const CellIndex low = cell_index(box.low - more - cells_->anchor(), edge_inv);
    const CellIndex high = cell_index(box.high + more - cells_->anchor(), edge_inv);
    const auto span = [](std::int32_t a, std::int32_t b) { return 1.0 + b - static_cast<double>(a); };
    const double in_reach = span(low.x, high.x) * span(low.y, high.y) * span(low.z, high.z);
    // Beyond kLargestPlainIndex a cell's index is no place.
    const auto is_plain = [](const CellIndex& c) {
      return std::max({std::abs(c.x), std::abs(c.y), std::abs(c.z)}) < kLargestPlainIndex;
    };
    if (in_reach > static_cast<double>(cells_->cells().size()) || !is_plain(low) || !is_plain(high)) {
      for (const Cell& cell : cells_->cells()) visit(cell.begin, cell.end);
      return;
    }
    const auto gap = [edge](std::int32_t c, double anchor, double from, double to) {
      const double cell_low = anchor + c * edge;
      return std::max({cell_low - to, from - (cell_low + edge), 0.0});
    };
    const double reach2 = reach * reach * (1 + 1e-9);  // cells' faces are rounded
    for (CellIndex c{0, 0, low.z}; c.z <= high.z; ++c.z) {
      const double dz = gap(c.z, cells_->anchor().z, box.low.z, box.high.z);
      for (c.y = low.y; c.y <= high.y; ++c.y) {
        const double dy = gap(c.y, cells_->anchor().y, box.low.y, box.high.y);
        for (c.x = low.x; c.x <= high.x; ++c.x) {
          const double dx = gap(c.x, cells_->anchor().x, box.low.x, box.high.x);
          if (dx * dx + dy * dy + dz * dz > reach2) continue;
          const std::uint32_t found = view.find(c);
          if (found != kNoCell) visit(view.cells[found].begin, view.cells[found].end);
        }
      }
    }
  }

 private:
  std::vector<Atom> atoms_;
  std::optional<CellGrid> cells_;
};

}  // namespace dropmd
