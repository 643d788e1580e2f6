#include "forces/mesh/levels/direct_sums.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <vector>

#include "core/ordered_sum.h"
#include "core/parallel_for.h"
#include "forces/mesh/cuboid.h"
#include "forces/mesh/levels/charge_cells.h"

namespace dropmd {

namespace {

using Lanes = Pack<double>;
constexpr std::size_t kWidth = Lanes::size();
/// Targets of a group, which have their near sources in common.
constexpr std::size_t kGroup = 64;
/// The groups are divided into this number of parts, each with sums of its own for the sources. It is fixed, so that
/// the order of additions does not depend on the threads.
constexpr std::size_t kParts = 64;

struct Groups {
  std::vector<std::uint32_t> target;  ///< [n_targets] indices of charges
  std::vector<std::size_t> begin;     ///< [n_groups + 1]
  std::size_t size() const { return begin.size() - 1; }
};

/// Returns groups of targets that are neighbours in rows of cells. edge: of a cell; infinite: in the given order.
Groups groups_of(std::span<const Vec3<double>> position, std::span<const std::uint32_t> targets, double edge) {
  const ChargeCells cells(position, targets, edge);
  Groups groups{{}, {0}};
  groups.target.reserve(targets.size());
  for (std::size_t row = 0; row < cells.n_rows(); ++row) {
    for (const std::uint32_t k : cells.row(row)) {
      if (groups.target.size() - groups.begin.back() == kGroup) groups.begin.push_back(groups.target.size());
      groups.target.push_back(targets[k]);
    }
    if (groups.begin.back() < groups.target.size()) groups.begin.push_back(groups.target.size());
  }
  return groups;
}

/// Sources near to a group, in packs; the last one is filled up with charges of 0.
struct Near {
  std::vector<double> x, y, z, charge;
  std::vector<double> index;  ///< of the charge; −1: none
  std::vector<std::uint32_t> source;

  void clear() {
    for (std::vector<double>* of : {&x, &y, &z, &charge, &index}) of->clear();
    source.clear();
  }
  void add(const Vec3<double>& at, double q, std::uint32_t charge_index, std::uint32_t source_index) {
    x.push_back(at.x), y.push_back(at.y), z.push_back(at.z), charge.push_back(q);
    index.push_back(charge_index);
    source.push_back(source_index);
  }
  void fill_up() {
    while (x.size() % kWidth != 0) {
      x.push_back(x[0]), y.push_back(y[0]), z.push_back(z[0]), charge.push_back(0);
      index.push_back(-1);
    }
  }
};

struct LaneVec {
  Lanes x{0.0}, y{0.0}, z{0.0};
};

double sum_of(const Lanes& lanes) {
  double sum = 0;
  for (std::size_t k = 0; k < kWidth; ++k) sum += lanes[k];
  return sum;
}
Vec3<double> sum_of(const LaneVec& v) { return {sum_of(v.x), sum_of(v.y), sum_of(v.z)}; }

/// What a thread needs for groups.
struct Scratch {
  Near near;
  std::array<LaneVec, kGroup> field;
  std::array<Lanes, kGroup> potential;
};

class Sums {
 public:
  Sums(const DirectKernel& kernel, std::span<const Vec3<double>> position, std::span<const double> charge,
       std::span<const std::uint32_t> sources, bool same, std::span<Vec3<double>> field)
      : kernel_(kernel),
        position_(position),
        charge_(charge),
        sources_(sources),
        same_(same),
        field_(field),
        range_((1 + 1e-12) * std::sqrt(kernel.range2)),
        cells_(position, sources, 0.5 * range_) {}

  /// Adds the fields of a group's targets, and those of the sources, [n_sources], to `reaction`; returns the energy.
  double add_group(Scratch& scratch, std::span<const std::uint32_t> targets, std::span<Vec3<double>> reaction) const {
    find_near(scratch.near, targets);
    if (scratch.near.source.empty()) return 0;
    for (std::size_t a = 0; a < targets.size(); ++a) scratch.field[a] = {}, scratch.potential[a] = Lanes(0.0);
    for (std::size_t first = 0; first < scratch.near.x.size(); first += kWidth)
      add_pack(scratch, targets, first, reaction);
    double energy = 0;
    for (std::size_t a = 0; a < targets.size(); ++a) {
      const double q = charge_[targets[a]];
      field_[targets[a]] += sum_of(scratch.field[a]);
      energy += q * sum_of(scratch.potential[a]);
    }
    return energy;
  }

 private:
  void find_near(Near& near, std::span<const std::uint32_t> targets) const {
    near.clear();
    Cuboid cuboid;
    for (const std::uint32_t k : targets) cuboid.add(position_[k]);
    cells_.near(cuboid, range_, [&](std::uint32_t source) {
      const Vec3<double>& x = position_[sources_[source]];
      if (kernel_.has_range()) {
        const auto beyond = [](double at, double low, double high) { return std::max({low - at, at - high, 0.0}); };
        const Vec3<double> d{beyond(x.x, cuboid.low.x, cuboid.high.x), beyond(x.y, cuboid.low.y, cuboid.high.y),
                             beyond(x.z, cuboid.low.z, cuboid.high.z)};
        if (dot(d, d) > range_ * range_) return;
      }
      near.add(x, charge_[sources_[source]], sources_[source], source);
    });
    if (!near.source.empty()) near.fill_up();
  }

  void add_pack(Scratch& scratch, std::span<const std::uint32_t> targets, std::size_t first,
                std::span<Vec3<double>> reaction) const {
    const auto load = [&](const std::vector<double>& from) { return Lanes(&from[first], stdx::element_aligned); };
    const Lanes x = load(scratch.near.x), y = load(scratch.near.y), z = load(scratch.near.z),
                charge = load(scratch.near.charge), index = load(scratch.near.index);
    LaneVec on_source;
    for (std::size_t a = 0; a < targets.size(); ++a) {
      const Vec3<double>& at = position_[targets[a]];
      const Lanes dx = at.x - x, dy = at.y - y, dz = at.z - z, r2 = dx * dx + dy * dy + dz * dz;
      if (kernel_.has_range() && stdx::none_of(r2 < Lanes(kernel_.range2))) continue;
      const SmoothTerm<Lanes> term = kernel_(r2);
      const Lanes on_target = charge * term.force_over_r;
      LaneVec& field = scratch.field[a];
      field.x += on_target * dx, field.y += on_target * dy, field.z += on_target * dz;
      if (same_) {  // a charge has no energy with itself; its force is zero, as is the distance
        stdx::where(index != Lanes(targets[a]), scratch.potential[a]) += charge * term.energy;
        continue;
      }
      scratch.potential[a] += charge * term.energy;
      const Lanes back = -charge_[targets[a]] * term.force_over_r;
      on_source.x += back * dx, on_source.y += back * dy, on_source.z += back * dz;
    }
    if (same_) return;
    for (std::size_t k = 0; k < kWidth && first + k < scratch.near.source.size(); ++k)
      reaction[scratch.near.source[first + k]] += Vec3<double>{on_source.x[k], on_source.y[k], on_source.z[k]};
  }

  DirectKernel kernel_;
  std::span<const Vec3<double>> position_;
  std::span<const double> charge_;
  std::span<const std::uint32_t> sources_;
  bool same_;
  std::span<Vec3<double>> field_;
  double range_;
  ChargeCells cells_;
};

}  // namespace

double add_direct_sums(Cpu cpu, const DirectKernel& kernel, std::span<const Vec3<double>> position,
                       std::span<const double> charge, std::span<const std::uint32_t> targets,
                       std::span<const std::uint32_t> sources, bool same, std::span<Vec3<double>> field) {
  if (targets.empty() || sources.empty()) return 0;
  const Sums sums(kernel, position, charge, sources, same, field);
  const Groups groups = groups_of(position, targets, 0.125 * std::sqrt(kernel.range2));
  const std::size_t n_parts = std::min(kParts, groups.size());
  std::vector<double> energy(n_parts, 0.0);
  std::vector<std::vector<Vec3<double>>> reaction(n_parts);
  parallel_for_with(
      cpu, n_parts, 1, [] { return Scratch{}; },
      [&](Scratch& scratch, std::size_t part) {
        reaction[part].assign(same ? 0 : sources.size(), {});
        for (std::size_t g = groups.size() * part / n_parts; g < groups.size() * (part + 1) / n_parts; ++g)
          energy[part] += sums.add_group(
              scratch, std::span(groups.target).subspan(groups.begin[g], groups.begin[g + 1] - groups.begin[g]),
              reaction[part]);
      });
  if (!same)
    for_each_index(cpu, sources.size(), [&](std::size_t k) {
      for (const std::vector<Vec3<double>>& of_part : reaction) field[sources[k]] += of_part[k];
    });
  double total = 0;
  for (const double of_part : energy) total += of_part;
  return same ? 0.5 * total : total;
}

}  // namespace dropmd
