#include "maps/sorted_charges.h"

namespace dropmd {

SortedCharges::SortedCharges(MapCharges charges, double edge) {
  std::vector<Vec3<double>> position;
  for (std::size_t i = 0; i < charges.charge.size(); ++i) {
    if (charges.charge[i] == 0) continue;
    atoms_.push_back({charges.position[i], charges.charge[i]});
    if (edge > 0) position.push_back(charges.position[i]);
  }
  if (!(edge > 0)) return;
  cells_.emplace(position, central_anchor(position, edge), edge);
  std::vector<Atom> sorted(atoms_.size());
  for (std::size_t k = 0; k < sorted.size(); ++k) sorted[k] = atoms_[cells_->order()[k]];
  atoms_ = std::move(sorted);
}

}  // namespace dropmd
