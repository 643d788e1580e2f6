#include "maps/sorted_charges.h"

#include "core/ordered_sum.h"

namespace dropmd {

SortedCharges::SortedCharges(Cpu cpu, MapCharges charges, double edge) {
  std::vector<std::uint32_t> charged;
  charged.reserve(charges.charge.size());
  for (std::uint32_t i = 0; i < charges.charge.size(); ++i)
    if (charges.charge[i] != 0) charged.push_back(i);
  const auto atom = [&](std::uint32_t i) { return Atom{charges.position[i], charges.charge[i]}; };
  atoms_.resize(charged.size());
  if (!(edge > 0)) {
    for_each_index(cpu, charged.size(), [&](std::size_t k) { atoms_[k] = atom(charged[k]); });
    return;
  }
  std::vector<Vec3<double>> position(charged.size());
  for_each_index(cpu, charged.size(), [&](std::size_t k) { position[k] = charges.position[charged[k]]; });
  cells_.emplace(position, central_anchor(position, edge), edge, cpu);
  const std::span<const std::uint32_t> order = cells_->order();
  for_each_index(cpu, charged.size(), [&](std::size_t k) { atoms_[k] = atom(charged[order[k]]); });
}

}  // namespace dropmd
