#include "neighbor/lists/cluster_list.h"

#include <algorithm>
#include <bit>
#include <cmath>

#include "core/parallel_for.h"
#include "core/vector_bytes.h"
#include "neighbor/cells/cell_grid.h"

namespace dropmd {

namespace {

/// Returns the squared distance between two boxes.
double gap2(const Box& a, const Box& b) {
  const auto gap = [](double a_low, double a_high, double b_low, double b_high) {
    return std::max(0.0, std::max(b_low - a_high, a_low - b_high));
  };
  const double x = gap(a.low.x, a.high.x, b.low.x, b.high.x), y = gap(a.low.y, a.high.y, b.low.y, b.high.y),
               z = gap(a.low.z, a.high.z, b.low.z, b.high.z);
  return x * x + y * y + z * z;
}

Box around(const Box& a, const Box& b) {
  return {{std::min(a.low.x, b.low.x), std::min(a.low.y, b.low.y), std::min(a.low.z, b.low.z)},
          {std::max(a.high.x, b.high.x), std::max(a.high.y, b.high.y), std::max(a.high.z, b.high.z)}};
}

/// Cells of cluster centres, large enough that clusters with atoms within the list cutoff of each other are in
/// neighbouring cells.
class ClusterCells {
 public:
  ClusterCells(const AtomClusters& clusters, double list_cutoff) : grid_(cells(clusters, list_cutoff)) {
    cell_of_.resize(clusters.size());
    for (std::uint32_t c = 0; c < grid_.cells().size(); ++c)
      for (std::uint32_t k = grid_.cells()[c].begin; k < grid_.cells()[c].end; ++k) cell_of_[grid_.order()[k]] = c;
  }

  /// Appends, cell by cell, the clusters from `from` on that may be within the list cutoff of the clusters [begin, end)
  /// and whose boxes pass `is_near`.
  template <class IsNear>
  void append_neighbors(std::uint32_t begin, std::uint32_t end, std::uint32_t from, const IsNear& is_near,
                        std::vector<std::uint32_t>& found) const {
    std::vector<std::uint32_t> own(cell_of_.begin() + begin, cell_of_.begin() + end);
    keep_unique(own);
    std::vector<std::uint32_t> near_cells;
    const CellGridView view = grid_.view();
    for (const std::uint32_t c : own)
      for (std::int32_t x = -1; x <= 1; ++x)
        for (std::int32_t y = -1; y <= 1; ++y)
          for (std::int32_t z = -1; z <= 1; ++z)
            if (const std::uint32_t near = view.find(view.cells[c].index + CellIndex{x, y, z}); near != kNoCell)
              near_cells.push_back(near);
    keep_unique(near_cells);
    for (const std::uint32_t c : near_cells)
      for (std::uint32_t k = view.cells[c].begin; k < view.cells[c].end; ++k)
        if (const std::uint32_t j = grid_.order()[k]; j >= from && is_near(j)) found.push_back(j);
  }

 private:
  static void keep_unique(std::vector<std::uint32_t>& cells) {
    std::sort(cells.begin(), cells.end());
    cells.erase(std::unique(cells.begin(), cells.end()), cells.end());
  }

  static CellGrid cells(const AtomClusters& clusters, double list_cutoff) {
    std::vector<Vec3<double>> centre(clusters.size());
    double largest = 0;
    for (std::uint32_t c = 0; c < clusters.size(); ++c) {
      const Box& box = clusters.box[c];
      centre[c] = 0.5 * box.low + 0.5 * box.high;
      const Vec3<double> side = box.high - box.low;
      largest = std::max({largest, side.x, side.y, side.z});
    }
    // Allows for the rounding of boundaries at large indices.
    const double edge = 1.001 * (list_cutoff + largest);
    return {centre, central_anchor(centre, edge), edge};
  }

  CellGrid grid_;
  std::vector<std::uint32_t> cell_of_;  ///< [n_clusters]
};

/// Sides of the boxes of a group's clusters by slot, for loops over many boxes.
struct BoxSides {
  std::vector<double> low_x, low_y, low_z, high_x, high_y, high_z, gap2;

  void assign(const AtomClusters& clusters, std::span<const std::uint32_t> touched) {
    for (auto* side : {&low_x, &low_y, &low_z, &high_x, &high_y, &high_z, &gap2}) side->resize(touched.size());
    for (std::size_t s = 0; s < touched.size(); ++s) {
      const Box& box = clusters.box[touched[s]];
      low_x[s] = box.low.x, low_y[s] = box.low.y, low_z[s] = box.low.z;
      high_x[s] = box.high.x, high_y[s] = box.high.y, high_z[s] = box.high.z;
    }
  }

  /// Sets gap2[s] for s >= first: the squared distance between the boxes of slots s and `own`.
  void measure(std::size_t own, std::size_t first) {
    const Box a{{low_x[own], low_y[own], low_z[own]}, {high_x[own], high_y[own], high_z[own]}};
    const std::size_t n = gap2.size();
    for (std::size_t s = first; s < n; ++s) {
      const double x = std::max(0.0, std::max(low_x[s] - a.high.x, a.low.x - high_x[s]));
      const double y = std::max(0.0, std::max(low_y[s] - a.high.y, a.low.y - high_y[s]));
      const double z = std::max(0.0, std::max(low_z[s] - a.high.z, a.low.z - high_z[s]));
      gap2[s] = x * x + y * y + z * z;
    }
  }
};

struct SquaredLimits {
  double list_cutoff2;
  double near2;
};

/// Which pairs of clusters have exclusions.
class ClusterExclusions {
 public:
  ClusterExclusions(const AtomClusters& clusters, const ExcludedPairs* excluded)
      : clusters_(clusters), excluded_(excluded) {
    if (excluded_ == nullptr || excluded_->empty()) {
      excluded_ = nullptr;
      return;
    }
    place_.resize(excluded_->n_atoms());
    for (std::uint32_t place = 0; place < clusters.atom.size(); ++place)
      if (clusters.atom[place] != kNoAtom) place_[clusters.atom[place]] = place;
  }

  /// An atom of an i-cluster and one of a j-cluster.
  struct Pair {
    std::uint32_t cluster = 0;
    std::uint32_t row = 0;
    std::uint32_t lane = 0;
  };

  /// Returns the exclusions of an i-cluster's atoms with atoms of this and later clusters.
  void find(std::uint32_t i, std::vector<Pair>& found) const {
    found.clear();
    if (excluded_ == nullptr) return;
    const auto atoms = clusters_.atoms_of(i);
    for (std::uint32_t row = 0; row < atoms.size(); ++row)
      for (const std::uint32_t other : excluded_->of(atoms[row]))
        if (const std::uint32_t place = place_[other]; place / clusters_.width >= i)
          found.push_back({place / clusters_.width, row, place % clusters_.width});
  }

 private:
  const AtomClusters& clusters_;
  const ExcludedPairs* excluded_;
  std::vector<std::uint32_t> place_;  ///< [n_atoms] index in AtomClusters::atom
};

template <class Real>
class GroupSearch {
 public:
  GroupSearch(const AtomClusters& clusters, const ClusterAtoms<Real>& atoms, const SquaredLimits& limit,
              const ClusterExclusions& exclusions)
      : clusters_(clusters), atoms_(atoms), limit_(limit), exclusions_(exclusions) {}

  void fill(const ClusterGroup& group, const ClusterCells& cells, ClusterGroupList& list) {
    list.touched.clear();
    Box box = clusters_.box[group.begin];
    for (std::uint32_t c = group.begin; c < group.end; ++c) {
      list.touched.push_back(c);
      box = around(box, clusters_.box[c]);
    }
    cells.append_neighbors(
        group.begin, group.end, group.end,
        [&](std::uint32_t j) { return gap2(box, clusters_.box[j]) < limit_.list_cutoff2; }, list.touched);
    sides_.assign(clusters_, list.touched);
    list.pairs.clear();
    list.ranges.clear();
    list.excluded.clear();
    list.candidate_pairs = 0;
    for (std::uint32_t c = group.begin; c < group.end; ++c) append_pairs(c, c - group.begin, list);
  }

 private:
  using Lane = Pack<Real>;

  void append_pairs(std::uint32_t i, std::uint32_t slot, ClusterGroupList& list) {
    far_.clear();
    near_.clear();
    exclusions_.find(i, excluded_);
    ClusterPairRange range{.begin = static_cast<std::uint32_t>(list.pairs.size()),
                           .first_excluded = static_cast<std::uint32_t>(list.excluded.size())};
    const std::uint32_t n = clusters_.count[i];
    if (n > 1) {
      add_near({i, slot, (1U << (n - 1)) - 1}, list);
      list.candidate_pairs += std::uint64_t{n} * (n - 1) / 2;
    }
    sides_.measure(slot, slot + 1);
    for (std::uint32_t s = slot + 1; s < list.touched.size(); ++s) {
      if (!(sides_.gap2[s] < limit_.list_cutoff2)) continue;
      const std::uint32_t j = list.touched[s];
      const std::uint32_t rows = rows_within(i, j, limit_.list_cutoff2);
      const std::uint32_t near =
          (sides_.gap2[s] < limit_.near2 ? rows & rows_within(i, j, limit_.near2) : 0) | (rows & excluded_rows(j));
      if (near != 0) add_near({j, s, near}, list);
      if (near != rows) far_.push_back({j, s, rows & ~near});
      list.candidate_pairs += std::uint64_t{clusters_.count[j]} * static_cast<unsigned>(std::popcount(rows));
    }
    range.whole = static_cast<std::uint32_t>(list.pairs.size());
    list.pairs.insert(list.pairs.end(), near_.begin(), near_.end());
    range.far = static_cast<std::uint32_t>(list.pairs.size());
    list.pairs.insert(list.pairs.end(), far_.begin(), far_.end());
    range.end = static_cast<std::uint32_t>(list.pairs.size());
    list.ranges.push_back(range);
  }

  /// Adds a pair of clusters whose rows may be near: at once if it has exclusions, else behind those that have.
  void add_near(const ClusterPair& pair, ClusterGroupList& list) {
    if (excluded_rows(pair.cluster) == 0) {
      near_.push_back(pair);
      return;
    }
    ExcludedLanes lanes;
    for (const ClusterExclusions::Pair& e : excluded_)
      if (e.cluster == pair.cluster)
        lanes.of_row[e.row] = static_cast<std::uint16_t>(lanes.of_row[e.row] | 1U << e.lane);
    list.pairs.push_back(pair);
    list.excluded.push_back(lanes);
  }

  /// Returns the atoms of the i-cluster that are excluded with an atom of cluster j.
  std::uint32_t excluded_rows(std::uint32_t j) const {
    std::uint32_t rows = 0;
    for (const ClusterExclusions::Pair& e : excluded_)
      if (e.cluster == j) rows |= 1U << e.row;
    return rows;
  }

  /// Returns the atoms of cluster i that are closer than the square root of `limit2` to an atom of cluster j.
  std::uint32_t rows_within(std::uint32_t i, std::uint32_t j, double limit2) const {
    const auto& a = atoms_.atoms()[i];
    const auto& b = atoms_.atoms()[j];
    const Vec3<Real> shift = atoms_.shift(i, j);
    const auto load = [](const auto& row) { return Lane(row.data(), stdx::vector_aligned); };
    const Lane x = load(b.x) - shift.x, y = load(b.y) - shift.y, z = load(b.z) - shift.z;
    const Lane limit(static_cast<Real>(limit2));
    std::uint32_t rows = 0;
    // Without branches, which would be hard to predict.
    for (std::uint32_t row = 0; row < clusters_.count[i]; ++row) {
      const Lane dx = x - a.x[row], dy = y - a.y[row], dz = z - a.z[row];
      rows |= static_cast<std::uint32_t>(stdx::any_of(dx * dx + dy * dy + dz * dz < limit)) << row;
    }
    return rows;
  }

  const AtomClusters& clusters_;
  const ClusterAtoms<Real>& atoms_;
  SquaredLimits limit_;
  const ClusterExclusions& exclusions_;
  BoxSides sides_;
  std::vector<ClusterPair> near_, far_;
  std::vector<ClusterExclusions::Pair> excluded_;  ///< of the present i-cluster
};

/// The rounding of distances in fp32 is far below this fraction.
constexpr double kMargin = 1e-5;

}  // namespace

template <class Real>
void ClusterList::build(Cpu cpu, const AtomClusters& clusters, const ClusterAtoms<Real>& atoms, double list_cutoff,
                        double near, const ExcludedPairs* excluded) {
  groups.resize(clusters.groups.size());
  const SquaredLimits squared{list_cutoff * list_cutoff * (1 + kMargin), near * near * (1 + kMargin)};
  if (!groups.empty()) {
    const ClusterCells cells(clusters, list_cutoff);
    const ClusterExclusions exclusions(clusters, excluded);
    parallel_for_with(
        cpu, groups.size(), 1, [&] { return GroupSearch<Real>(clusters, atoms, squared, exclusions); },
        [&](GroupSearch<Real>& search, std::size_t g) { search.fill(clusters.groups[g], cells, groups[g]); });
  }

  n_slots = 0;
  first_cluster_slot.assign(clusters.size() + 1, 0);
  for (ClusterGroupList& group : groups) {
    group.first_slot = n_slots;
    n_slots += group.touched.size();
    for (const std::uint32_t c : group.touched) ++first_cluster_slot[c + 1];
  }
  for (std::uint32_t c = 0; c < clusters.size(); ++c) first_cluster_slot[c + 1] += first_cluster_slot[c];
  cluster_slots.resize(n_slots);
  std::vector<std::size_t> next(first_cluster_slot.begin(), first_cluster_slot.end() - 1);
  for (const ClusterGroupList& group : groups)
    for (std::size_t s = 0; s < group.touched.size(); ++s)
      cluster_slots[next[group.touched[s]]++] = group.first_slot + s;
}

std::uint64_t ClusterList::bytes() const {
  std::uint64_t bytes = bytes_of_all(groups, first_cluster_slot, cluster_slots);
  for (const ClusterGroupList& group : groups)
    bytes += bytes_of_all(group.touched, group.pairs, group.ranges, group.excluded);
  return bytes;
}

template void ClusterList::build(Cpu, const AtomClusters&, const ClusterAtoms<float>&, double, double,
                                 const ExcludedPairs*);
template void ClusterList::build(Cpu, const AtomClusters&, const ClusterAtoms<double>&, double, double,
                                 const ExcludedPairs*);

}  // namespace dropmd
