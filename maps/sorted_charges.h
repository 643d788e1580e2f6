#pragma once

#include <optional>
#include <vector>

#include "maps/cells_near_box.h"
#include "maps/map_model.h"

namespace dropmd {

/// The charged atoms of a map; with a cutoff those of a cell are consecutive.
class SortedCharges {
 public:
  struct Atom {
    Vec3<double> position;
    double charge;
  };

  /// edge: of the cells; 0: no cells, and the atoms are in the order of the input.
  SortedCharges(Cpu cpu, MapCharges charges, double edge);

  std::span<const Atom> atoms() const { return atoms_; }
  const std::optional<CellGrid>& cells() const { return cells_; }

  /// Calls visit(begin, end) for ranges of atoms() that contain all atoms closer than `cutoff` to a box; always in the
  /// same order.
  template <class Visit>
  void visit_near(const SpaceBox& box, double cutoff, const Visit& visit) const {
    if (!cells_) return visit(std::size_t{0}, atoms_.size());
    const MapCells cells{cells_->view(), cells_->anchor(), cells_->edge()};
    const CellsNearBox near(cells, box, cutoff);
    for (std::uint32_t p = 0; p < near.n(); ++p) {
      const std::uint32_t c = near(p);
      if (c != kNoCell) visit(cells.grid.cells[c].begin, cells.grid.cells[c].end);
    }
  }

 private:
  std::vector<Atom> atoms_;
  std::optional<CellGrid> cells_;
};

}  // namespace dropmd
