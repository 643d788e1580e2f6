#include "neighbor/cells/local_atoms.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "tests/support/random_droplets.h"

namespace dropmd {
namespace {

/// Positions rounded to the quantum, relative to the anchor, in fp64.
Vec3<double> rounded(const Vec3<double>& x, const Vec3<double>& anchor, double quantum) {
  const auto on_grid = [&](double c) { return std::nearbyint(c / quantum) * quantum; };
  const Vec3<double> d = x - anchor;
  return {on_grid(d.x), on_grid(d.y), on_grid(d.z)};
}

template <class Real>
LocalAtoms<Real> local_copy(const ChargedAtoms& atoms, const CellGrid& grid, const PositionGrid& positions) {
  LocalAtoms<Real> local;
  local.assign(Cpu{2}, grid, positions, atoms.position, atoms.charge, atoms.species);
  return local;
}

TEST(PositionGrid, FollowsTheContactDistance) {
  for (const double contact : {1e-3, 0.3, 1.0, 1.12, 2.5, 3.8, 100.0}) {
    const PositionGrid grid = PositionGrid::for_contact_distance(contact);
    EXPECT_LE(grid.quantum, 0x1p-20);
    int exponent = 0;
    EXPECT_EQ(std::frexp(grid.quantum, &exponent), 0.5) << "no power of two";
    EXPECT_GT(grid.max_edge, 0);
    EXPECT_LE(grid.max_edge / 2 + grid.origin_step / 2, std::ldexp(grid.quantum, 23));
  }
  EXPECT_EQ(PositionGrid::for_contact_distance(std::nullopt).quantum, 0x1p-20);
}

/// Large numbers, too, are the sum of offset and low-order part, to as many digits as two fp32 numbers have.
TEST(PositionGrid, SplitLosesNothing) {
  const PositionGrid grid = PositionGrid::for_contact_distance(2.5);
  // Numbers are split three at a time, as in use, since compilers vectorise them together.
  for (const double scale : {0x1p-10, 1.0, 8.0, 16.0, 0x1p13, 0x1p30, 0x1p40}) {
    const double x[] = {-0.992483807229500123 * scale, 0.3141592653589793 * scale, 0.75 * scale};
    const PositionGrid::Split split[] = {grid.split(x[0]), grid.split(x[1]), grid.split(x[2])};
    for (int k = 0; k < 3; ++k) {
      EXPECT_LE(std::abs(split[k].low_order), std::max(0.5 * grid.quantum, std::abs(x[k]) * 0x1p-24)) << x[k];
      EXPECT_NEAR(static_cast<double>(split[k].offset) + static_cast<double>(split[k].low_order), x[k],
                  std::abs(x[k]) * 0x1p-47 + grid.quantum * 0x1p-24);
    }
    EXPECT_EQ(split[2].offset, x[2]) << "a few digits";
  }
}

/// Offsets are whole quanta that fp32 can represent: only the position itself is rounded, once.
TEST(LocalAtoms, OffsetsAreWholeQuantaWithinTwoToThe23) {
  for (const Regime regime : {Regime::liquid, Regime::clustered, Regime::off_centre, Regime::outliers}) {
    const ChargedAtoms atoms = random_droplet(regime, 500, 1);
    const PositionGrid positions = PositionGrid::for_contact_distance(1.12);
    for (const double edge : {positions.max_edge, 0.4 * positions.max_edge}) {
      const CellGrid grid(atoms.position, central_anchor(atoms.position, positions.origin_step), edge);
      const auto local = local_copy<float>(atoms, grid, positions);
      for (const auto& a : local.atom)
        for (const float c : {a.x, a.y, a.z}) {
          const double quanta = static_cast<double>(c) / positions.quantum;
          EXPECT_EQ(quanta, std::round(quanta));
          EXPECT_LE(std::abs(quanta), 0x1p23);
        }
      for (const auto& o : local.origin)
        for (const float c : {o.x, o.y, o.z}) EXPECT_EQ(std::fmod(static_cast<double>(c), positions.origin_step), 0);
    }
  }
}

/// (offset_i + shift) − offset_j in fp32 is the fp64 difference of the rounded positions, whichever cells the two near
/// atoms are in, and wherever the droplet is.
TEST(LocalAtoms, DifferencesOfNearAtomsAreExact) {
  for (const Regime regime : {Regime::liquid, Regime::clustered, Regime::off_centre, Regime::outliers}) {
    SCOPED_TRACE(name_of(regime));
    const ChargedAtoms atoms = random_droplet(regime, 500, 2);
    const PositionGrid positions = PositionGrid::for_contact_distance(1.12);
    const CellGrid grid(atoms.position, central_anchor(atoms.position, positions.origin_step), positions.max_edge);
    const auto local = local_copy<float>(atoms, grid, positions);
    std::vector<std::uint32_t> cell_of(atoms.size());
    for (std::uint32_t c = 0; c < grid.cells().size(); ++c)
      for (std::uint32_t k = grid.cells()[c].begin; k < grid.cells()[c].end; ++k) cell_of[k] = c;

    int across_cells = 0;
    for (std::uint32_t k = 0; k < atoms.size(); ++k)
      for (std::uint32_t l = 0; l < atoms.size(); ++l) {
        const Vec3<double>& x = atoms.position[grid.order()[k]];
        const Vec3<double>& y = atoms.position[grid.order()[l]];
        if (k == l || norm(x - y) > 2.0) continue;
        if (cell_of[k] != cell_of[l]) ++across_cells;
        const Vec3<float> shift = local.shift(cell_of[k], cell_of[l]);
        const auto &a = local.atom[k], &b = local.atom[l];
        const Vec3<double> found{static_cast<double>((a.x + shift.x) - b.x), static_cast<double>((a.y + shift.y) - b.y),
                                 static_cast<double>((a.z + shift.z) - b.z)};
        const Vec3<double> exact =
            rounded(x, grid.anchor(), positions.quantum) - rounded(y, grid.anchor(), positions.quantum);
        EXPECT_EQ(found, exact);
      }
    EXPECT_GT(across_cells, 50) << "no test of different origins";
  }
}

/// In cells whose origin fp32 cannot represent, offsets are exact, too, and relative to a near origin.
TEST(LocalAtoms, FarCellsHaveOriginsOfTheirOwn) {
  ChargedAtoms atoms = random_droplet(Regime::liquid, 300, 4);
  for (std::size_t i = 0; i < 100; ++i) atoms.position[i] += Vec3<double>{1e12, 0, 0};
  for (std::size_t i = 100; i < 130; ++i) atoms.position[i] += Vec3<double>{0, -3e9, 0};
  atoms.position[200] = {1e20, 0, 0};
  const PositionGrid positions = PositionGrid::for_contact_distance(1.12);
  const CellGrid grid(atoms.position, central_anchor(atoms.position, positions.origin_step), positions.max_edge);
  const auto local = local_copy<float>(atoms, grid, positions);
  std::size_t n_far = 0;
  for (std::uint32_t c = 0; c < grid.cells().size(); ++c)
    for (std::uint32_t k = grid.cells()[c].begin; k < grid.cells()[c].end; ++k) {
      const Vec3<double>& x = atoms.position[grid.order()[k]];
      const LocalAtom<float>& a = local.atom[k];
      const Vec3<float>& low_order = local.low_order[k];
      n_far += local.is_far[c];
      EXPECT_EQ(local.is_far[c] != 0, norm(x) > 1e6);
      EXPECT_LE(std::max({std::abs(a.x), std::abs(a.y), std::abs(a.z)}), std::ldexp(positions.quantum, 23));
      // The low-order part, at most half a quantum, has the 24 bits of fp32.
      const Vec3<double> whole = Vec3<double>{a.x, a.y, a.z} + Vec3<double>{low_order.x, low_order.y, low_order.z};
      EXPECT_LE(norm(whole - (x - local.centre[c])), 2 * positions.quantum * 0x1p-25);
    }
  EXPECT_EQ(n_far, 131U);
}

TEST(LocalAtoms, DoubleCopiesThePositions) {
  const ChargedAtoms atoms = random_droplet(Regime::outliers, 300, 3);
  const PositionGrid positions = PositionGrid::for_contact_distance(1.12);
  const CellGrid grid(atoms.position, central_anchor(atoms.position, positions.origin_step), positions.max_edge);
  const auto local = local_copy<double>(atoms, grid, positions);
  for (std::uint32_t k = 0; k < atoms.size(); ++k) {
    const std::uint32_t i = grid.order()[k];
    EXPECT_EQ((Vec3<double>{local.atom[k].x, local.atom[k].y, local.atom[k].z}), atoms.position[i]);
    EXPECT_EQ(local.atom[k].charge, atoms.charge[i]);
    EXPECT_EQ(local.species[k], atoms.species[i]);
  }
  for (const auto& o : local.origin) EXPECT_EQ(o, (Vec3<double>{}));
}

}  // namespace
}  // namespace dropmd
