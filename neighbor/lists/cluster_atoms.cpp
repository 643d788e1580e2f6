#include "neighbor/lists/cluster_atoms.h"

#include <cmath>
#include <type_traits>

#include "core/parallel_for.h"

namespace dropmd {

template <class Real>
void ClusterAtoms<Real>::assign(Cpu cpu, const AtomClusters& clusters, const PositionGrid& grid,
                                std::span<const Vec3<double>> position, std::span<const double> charge,
                                double nowhere) {
  constexpr bool kLocal = std::is_same_v<Real, float>;
  clusters_ = &clusters;
  grid_ = grid;
  Atoms empty{};
  empty.x.fill(static_cast<Real>(nowhere));
  atoms_.assign(clusters.size(), empty);
  low_order_.assign(kLocal ? clusters.size() : 0, LowOrder{});
  origin_.assign(clusters.size(), Vec3<double>{});
  assigned_.resize(clusters.atom.size());
  parallel_for(cpu, clusters.size(), [&](std::size_t k) {
    const auto c = static_cast<std::uint32_t>(k);
    const auto middle = [&](double low, double high) {
      return std::round((0.5 * low + 0.5 * high) / grid.origin_step) * grid.origin_step;
    };
    const Box& box = clusters.box[c];
    if (kLocal)
      origin_[c] = {middle(box.low.x, box.high.x), middle(box.low.y, box.high.y), middle(box.low.z, box.high.z)};
    const auto atoms = clusters.atoms_of(c);
    for (std::uint32_t lane = 0; lane < atoms.size(); ++lane) {
      assigned_[std::size_t{c} * kWidth + lane] = position[atoms[lane]];
      atoms_[c].charge[lane] = static_cast<Real>(charge[atoms[lane]]);
      write(c, lane, position[atoms[lane]]);
    }
  });
}

template <class Real>
bool ClusterAtoms<Real>::follow(std::uint32_t begin, std::uint32_t end, std::span<const Vec3<double>> position,
                                double limit) {
  const double limit2 = limit * limit;
  for (std::uint32_t c = begin; c < end; ++c) {
    const auto atoms = clusters_->atoms_of(c);
    for (std::uint32_t lane = 0; lane < atoms.size(); ++lane) {
      const Vec3<double>& x = position[atoms[lane]];
      const Vec3<double> moved = x - assigned_[std::size_t{c} * kWidth + lane];
      if (!(dot(moved, moved) <= limit2)) return false;  // also for NaN
      write(c, lane, x);
    }
  }
  return true;
}

template <class Real>
void ClusterAtoms<Real>::write(std::size_t cluster, std::uint32_t lane, const Vec3<double>& position) {
  Atoms& atoms = atoms_[cluster];
  if constexpr (std::is_same_v<Real, float>) {
    const Vec3<double> d = position - origin_[cluster];
    const auto x = grid_.split(d.x), y = grid_.split(d.y), z = grid_.split(d.z);
    atoms.x[lane] = x.offset;
    atoms.y[lane] = y.offset;
    atoms.z[lane] = z.offset;
    LowOrder& low_order = low_order_[cluster];
    low_order.x[lane] = x.low_order;
    low_order.y[lane] = y.low_order;
    low_order.z[lane] = z.low_order;
  } else {
    atoms.x[lane] = position.x;
    atoms.y[lane] = position.y;
    atoms.z[lane] = position.z;
  }
}

template class ClusterAtoms<float>;
template class ClusterAtoms<double>;

}  // namespace dropmd
