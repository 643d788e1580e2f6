#pragma once

#include <cstdint>
#include <utility>

#include "engine/device/molecules/rigid_molecules.cuh"
#include "engine/persistent/persistent_kernel.cuh"
#include "engine/persistent/persistent_molecules.cuh"

/// Part of the persistent kernel for molecules (persistent_molecule_kernel.cuh): the forces on a block's molecules, by
/// threads and as sums over them.
namespace dropmd {

namespace persistent {

/// Writes the charges and species of all places, and positions of those without an atom; by some of the threads of a
/// block. thread: among the n_threads that call it.
template <class Solver>
__device__ void prepare_places(const AllPositions& all, const StepView<float>& step, const ClusterView<Solver>& of,
                               std::uint32_t thread, std::uint32_t n_threads) {
#pragma unroll 4  // so that loads overlap
  for (std::uint32_t place = thread; place < of.n * kLanesOf<Solver>; place += n_threads) {
    const std::uint32_t index = of.at[place];
    const bool there = index != RigidMolecules::kNoAtom;
    all.local[place] = {kAway, kAway, kAway, there ? static_cast<float>(step.atoms.charge[index]) : 0.0F};
    all.low_order[place] = {0, 0, 0, there ? step.atoms.pair_species[index] : 0};
  }
}

/// The forces on the places of a molecule.
template <int kPlaces>
struct MoleculeForces {
  Vec3<float> on[kPlaces] = {};
};

/// The pairs of molecule `mine` with a slice of all molecules. The distance of the first places tells whether the
/// low-order parts of positions count (PositionGrid), and whether a cutoff leaves out all pairs.
template <class Physics, class Solver>
struct MoleculeSlice {
  static constexpr int kPlaces = kLanesOf<Solver>;

  const AllPositions& all;
  const PairTableView<float>& table;
  const Physics& physics;
  const PersistentMolecules<Solver>& molecules;
  std::uint32_t mine, first, n_slices;

  /// Returns the slice's share of the forces.
  __device__ MoleculeForces<kPlaces> forces() const {
    return molecules.only_first_has_vdw ? forces<true>() : forces<false>();
  }

  /// Returns the slice's share of the energy. Half of each pair belongs to either atom.
  __device__ PartialEnergy energy() const {
    const auto has_atom = [&](std::uint32_t molecule, int place) {
      return molecules.all.at[molecule * kPlaces + place] != RigidMolecules::kNoAtom;
    };
    PartialEnergy sum{0, 0, 0};
    for_each<true>([&]<int b>(std::uint32_t j, const Pairs<b>& pairs) {
      for (int a = 0; a < kPlaces; ++a) {
        if (!has_atom(mine, a) || !has_atom(j, b)) continue;
        const float r2 = squared_norm(pairs.d[a]);
        const PairResult<float> pair = physics.for_energies(r2, pairs.coefficients(a), pairs.qq[a]);
        sum = sum + PartialEnergy{0.5 * pair.vdw, 0.5 * pair.coulomb, r2 < table.cutoff2 ? 1U : 0U};
      }
    });
    return sum;
  }

 private:
  /// The pairs of all places of the molecule with place b of another one.
  template <int b>
  struct Pairs {
    const MoleculeSlice& slice;
    std::uint32_t place;  ///< of the other atom
    Vec3<float> d[kPlaces];
    float qq[kPlaces];

    __device__ LjCoefficients<float> coefficients(int a) const {
      const LowOrderPart* const atom = slice.all.low_order;
      return slice.table
          .coefficients[atom[slice.mine * kPlaces + a].species * slice.table.n_species + atom[place].species];
    }
  };

  /// Calls use(j, pairs) for each of the slice's molecules j and each of its places, with an atom or without; also for
  /// some molecules beyond the cutoff. Places without an atom have no charge and add nothing to the force on an atom;
  /// the force on such a place itself may be NaN, as all of them are at one point, and nothing uses it. kAllNear:
  /// whether low-order parts count in all pairs.
  template <bool kAllNear, class Use>
  __device__ void for_each(const Use& use) const {
    LocalAtom<float> me[kPlaces];
    Vec3<float> my_low[kPlaces];
#pragma unroll
    for (int a = 0; a < kPlaces; ++a) {
      me[a] = all.local[mine * kPlaces + a];
      me[a].charge *= table.coulomb_constant;
      const LowOrderPart& low = all.low_order[mine * kPlaces + a];
      my_low[a] = {low.x, low.y, low.z};
    }
    // Positions are rounded by 2⁻²⁴ of their coordinates. Beyond a quarter of these, that is 2.4e-7 of a distance.
    const float coordinate = fmaxf(fmaxf(fabsf(me[0].x), fabsf(me[0].y)), fabsf(me[0].z));
    const float near_first2 = fmaxf(molecules.near_first2, 0.0625F * coordinate * coordinate);
    const float most_first = molecules.most_first + 1e-6F * coordinate, most_first2 = most_first * most_first;
#pragma unroll 1
    for (std::uint32_t j = first; j < molecules.all.n; j += n_slices) {
      LocalAtom<float> other[kPlaces];
#pragma unroll
      for (int b = 0; b < kPlaces; ++b) other[b] = all.local[j * kPlaces + b];
      const float first2 = squared_norm(Vec3<float>{me[0].x - other[0].x, me[0].y - other[0].y, me[0].z - other[0].z});
      if (j == mine || first2 > most_first2) continue;
      const bool near = kAllNear || first2 < near_first2;
      const auto with_place = [&]<int b>() {
        Pairs<b> pairs{*this, j * kPlaces + b};
#pragma unroll
        for (int a = 0; a < kPlaces; ++a) {
          pairs.d[a] = {me[a].x - other[b].x, me[a].y - other[b].y, me[a].z - other[b].z};
          pairs.qq[a] = me[a].charge * other[b].charge;
        }
        if (near) {
          const LowOrderPart low = all.low_order[pairs.place];
#pragma unroll
          for (int a = 0; a < kPlaces; ++a)
            pairs.d[a] += Vec3<float>{my_low[a].x - low.x, my_low[a].y - low.y, my_low[a].z - low.z};
        }
        use(j, pairs);
      };
      [&]<int... b>(std::integer_sequence<int, b...>) { (with_place.template operator()<b>(), ...); }
      (std::make_integer_sequence<int, kPlaces>{});
    }
  }

  template <bool kOnlyFirstHasVdw>
  __device__ MoleculeForces<kPlaces> forces() const {
    MoleculeForces<kPlaces> sum;
    for_each<false>([&]<int b>(std::uint32_t, const Pairs<b>& pairs) {
      constexpr int kWithVdw = !kOnlyFirstHasVdw ? kPlaces : b == 0 ? 1 : 0;
      float f[kPlaces];
      if constexpr (Physics::kManyForms) {
        physics.template forces_over_r<kPlaces, kWithVdw>(
            [&](int a) {
              return PairArguments<float, LjCoefficients<float>>{
                  squared_norm(pairs.d[a]), a < kWithVdw ? pairs.coefficients(a) : LjCoefficients<float>{},
                  pairs.qq[a]};
            },
            f);
      } else {
#pragma unroll
        for (int a = 0; a < kPlaces; ++a)
          f[a] = physics(
                     squared_norm(pairs.d[a]), a < kWithVdw, [&] { return pairs.coefficients(a); }, pairs.qq[a])
                     .force_over_r;
      }
#pragma unroll
      for (int a = 0; a < kPlaces; ++a) {
        const Vec3<float>& d = pairs.d[a];
        Vec3<float>& on = sum.on[a];
        on = {lane_fma(f[a], d.x, on.x), lane_fma(f[a], d.y, on.y), lane_fma(f[a], d.z, on.z)};
      }
    });
    return sum;
  }
};

/// Sums of a block over the slices of each of its molecules, in three stages: the slices of each column, the columns of
/// each part, the parts.
template <class T, std::uint32_t kComponents>
struct MoleculeSum {
  static constexpr std::uint32_t kMostParts = 8;
  using Shape = PersistentMoleculeShape;

  T of_thread[kComponents][Shape::kMostThreads];
  T of_part[kMostParts][kComponents][Shape::kMostMolecules];

  /// Number of parts into which the columns of a molecule are divided. Each has threads for its components.
  static __device__ std::uint32_t parts(const Shape& shape) {
    return max(1U, min(kMostParts, shape.columns / kComponents));
  }

  /// Adds a component of a thread's next slice. first: whether it is the thread's first slice.
  __device__ void put(std::uint32_t component, std::uint32_t thread, T value, bool first) {
    T& at = of_thread[component][thread];
    at = first ? value : at + value;
  }

  /// Adds what the threads of each part have. A barrier must separate it from the last put() and from total(). thread:
  /// among those that compute forces.
  __device__ void add_parts(std::uint32_t thread, const Shape& shape) {
    const std::uint32_t molecule = thread % shape.molecules, rest = thread / shape.molecules;
    const std::uint32_t component = rest % kComponents, part = rest / kComponents, n_parts = parts(shape);
    if (part >= n_parts) return;
    const T* of = of_thread[component] + part * shape.molecules + molecule;
    const std::uint32_t stride = n_parts * shape.molecules;
    T sum = 0;
    if (shape.threads_of_column == 1) {
      for (std::uint32_t column = part; column < shape.columns; column += n_parts, of += stride) sum += of[0];
    } else {
      const std::uint32_t other = shape.columns * shape.molecules;  // the second thread of a column
      for (std::uint32_t column = part; column < shape.columns; column += n_parts, of += stride)
        sum += of[0] + of[other];
    }
    of_part[part][component][molecule] = sum;
  }
};

/// Component 3 a + k is axis k of the force on place a.
template <int kPlaces>
struct MoleculeForceSum : MoleculeSum<float, 3 * kPlaces> {
  __device__ void put(std::uint32_t thread, const MoleculeForces<kPlaces>& force, bool first) {
#pragma unroll
    for (int a = 0; a < kPlaces; ++a) {
      const float axis[] = {force.on[a].x, force.on[a].y, force.on[a].z};
#pragma unroll
      for (int k = 0; k < 3; ++k) MoleculeSum<float, 3 * kPlaces>::put(3 * a + k, thread, axis[k], first);
    }
  }
  /// Returns the force on a place of one of the block's molecules.
  __device__ Vec3<double> total(const PersistentMoleculeShape& shape, std::uint32_t molecule, int place) const {
    Vec3<double> sum{0, 0, 0};
    const std::uint32_t n_parts = this->parts(shape);
    for (std::uint32_t part = 0; part < n_parts; ++part) {
      const auto& of = this->of_part[part];
      sum += Vec3<double>{of[3 * place][molecule], of[3 * place + 1][molecule], of[3 * place + 2][molecule]};
    }
    return sum;
  }
};

struct MoleculeEnergySum : MoleculeSum<double, 3> {
  __device__ void put(std::uint32_t thread, const PartialEnergy& energy, bool first) {
    MoleculeSum::put(0, thread, energy.vdw, first);
    MoleculeSum::put(1, thread, energy.coulomb, first);
    MoleculeSum::put(2, thread, static_cast<double>(energy.within), first);
  }
  /// Returns the energy of one of the block's molecules.
  __device__ PartialEnergy total(const PersistentMoleculeShape& shape, std::uint32_t molecule) const {
    double sum[3] = {0, 0, 0};
    for (std::uint32_t part = 0; part < parts(shape); ++part)
      for (int component = 0; component < 3; ++component) sum[component] += of_part[part][component][molecule];
    return {sum[0], sum[1], static_cast<std::uint64_t>(sum[2])};
  }
};

/// The sums of a block that never exist at the same time.
template <int kPlaces>
union MoleculeSums {
  MoleculeForceSum<kPlaces> forces;
  MoleculeEnergySum energies;
};

}  // namespace persistent

}  // namespace dropmd
