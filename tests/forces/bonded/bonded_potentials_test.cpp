#include "forces/bonded/potentials/bonded_potentials.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <limits>
#include <tuple>
#include <type_traits>
#include <vector>

#include "forces/bonded/reference/bonded_reference.h"
#include "tests/forces/bonded/bonded_samples.h"

/// Every potential against the reference, the reference against central differences of its energies, and both where
/// angles do not exist.
namespace dropmd {
namespace {

template <class Tuple>
struct TypesOf;
template <class... Potential>
struct TypesOf<std::tuple<Potential...>> {
  using Types = testing::Types<Potential...>;
};

template <class Potential>
using PlacesOf = std::array<Vec3<double>, Potential::kAtoms>;

template <class Potential>
class BondedPotentialTest : public testing::Test {
 protected:
  static constexpr std::size_t kAtoms = Potential::kAtoms;
  static constexpr std::size_t kEnergies = Potential::kEnergies.size();
  static constexpr bool kIsDihedral = kAtoms >= 4;

  TermSampler sample{11};
  std::vector<CmapGrid> grids{sample.grid(24), sample.grid(7)};
  std::vector<CmapCell> cells = cmap_cells(grids);
  std::vector<CmapMap> maps = cmap_maps(grids, cells.data());
  bonded_reference::CmapSplines splines{grids};
  bonded_reference::Constants constants{kSampleCoulomb, &splines};

  BondedValue<kAtoms, kEnergies> value_of(const typename Potential::Term& term,
                                          const PlacesOf<Potential>& places) const {
    Vec3<double> x[kAtoms];
    std::copy(places.begin(), places.end(), x);
    return Potential(term, {kSampleCoulomb, maps})(x);
  }

  PlacesOf<Potential> random_places() {
    const std::vector<Vec3<double>> chain = sample.chain(kAtoms);
    PlacesOf<Potential> places;
    std::copy(chain.begin(), chain.end(), places.begin());
    return places;
  }

  /// −dU/dx by central differences, whose errors of second and fourth order are eliminated (Richardson).
  std::array<Vec3<long double>, kAtoms> difference_forces(const typename Potential::Term& term,
                                                          const PlacesOf<Potential>& places, long double step) const {
    std::array<Vec3<long double>, kAtoms> x, force;
    for (std::size_t a = 0; a < kAtoms; ++a) x[a] = {places[a].x, places[a].y, places[a].z};
    const auto energy = [&] {
      long double sum = 0;
      for (const long double u : bonded_reference::energies(term, x, constants)) sum += u;
      return sum;
    };
    const auto force_along = [&](long double& coordinate) {
      const long double centre = coordinate;
      const auto difference = [&](long double h) {
        coordinate = centre + h;
        const long double above = energy();
        coordinate = centre - h;
        const long double below = energy();
        coordinate = centre;
        return (below - above) / (2 * h);
      };
      const long double d1 = difference(step), d2 = difference(step / 2), d4 = difference(step / 4);
      const long double fourth = (4 * d2 - d1) / 3, fourth_of_half = (4 * d4 - d2) / 3;
      return (16 * fourth_of_half - fourth) / 15;
    };
    for (std::size_t a = 0; a < kAtoms; ++a) force[a] = {force_along(x[a].x), force_along(x[a].y), force_along(x[a].z)};
    return force;
  }

  static long double size_of(const std::array<Vec3<long double>, kAtoms>& forces) {
    long double sum = 0;
    for (const Vec3<long double>& f : forces) sum += std::sqrt(dot(f, f));
    return sum;
  }
  template <class Forces>
  static long double distance(const Forces& a, const std::array<Vec3<long double>, kAtoms>& b) {
    std::array<Vec3<long double>, kAtoms> difference;
    for (std::size_t k = 0; k < kAtoms; ++k) difference[k] = Vec3<long double>{a[k].x, a[k].y, a[k].z} - b[k];
    return size_of(difference);
  }

  /// Expects the energies and forces of the reference, which must be finite. relative: to the sizes of forces and
  /// energies; absolute: allowed besides.
  void expect_reference(const typename Potential::Term& term, const PlacesOf<Potential>& x, double relative,
                        double absolute = 1e-12) const {
    const auto value = value_of(term, x);
    const auto energies = bonded_reference::energies_of(term, x, constants);
    for (std::size_t e = 0; e < kEnergies; ++e)
      EXPECT_NEAR(value.energy[e], static_cast<double>(energies[e]),
                  absolute + relative * std::abs(static_cast<double>(energies[e])));
    const auto forces = bonded_reference::forces_of(term, x, constants);
    EXPECT_LE(distance(value.force, forces), absolute + relative * size_of(forces));
  }

  /// Expects that forces and torques add up to zero.
  void expect_no_net_force(const typename Potential::Term& term, const PlacesOf<Potential>& x, double relative) const {
    const auto value = value_of(term, x);
    Vec3<double> force{}, torque{};
    double size = 0;
    for (std::size_t a = 0; a < kAtoms; ++a) {
      force += value.force[a];
      torque += cross(x[a] - x[0], value.force[a]);
      size += norm(value.force[a]);
    }
    EXPECT_LE(norm(force), 1e-15 * size);
    EXPECT_LE(norm(torque), relative * size);
  }

  void expect_no_nan(const typename Potential::Term& term, const PlacesOf<Potential>& x) const {
    constexpr double kMost = std::numeric_limits<double>::infinity();
    constexpr bool kMayBeInfinite = std::is_same_v<typename Potential::Term, BondedPair>;
    const auto in_range = [&](double y) { return kMayBeInfinite ? std::abs(y) <= kMost : std::abs(y) < kMost; };
    const auto value = value_of(term, x);
    for (const double u : value.energy) EXPECT_PRED1(in_range, u);
    for (const Vec3<double>& f : value.force) {
      EXPECT_PRED1(in_range, f.x);
      EXPECT_PRED1(in_range, f.y);
      EXPECT_PRED1(in_range, f.z);
    }
  }
};
TYPED_TEST_SUITE(BondedPotentialTest, TypesOf<BondedPotentials>::Types);

/// Steps of 1e-3 leave an error of sixth order, 1e-18 of the sixth derivative, and a rounding of 1e-19 of the energy
/// over 1e-3. The pieces of a CMAP have jumps in their third derivatives: steps that cross one are smaller, so that the
/// error of second order is below the bound, too.
TYPED_TEST(BondedPotentialTest, ForcesAreDerivativesOfTheEnergy) {
  constexpr bool kIsCmap = std::is_same_v<TypeParam, CmapPotential>;
  for (int trial = 0; trial < 200; ++trial) {
    SCOPED_TRACE(trial);
    const auto term = this->sample.template term<typename TypeParam::Term>();
    const auto x = this->random_places();
    const auto difference = this->difference_forces(term, x, kIsCmap ? 1e-6L : 1e-3L);
    const auto size = 1e-3L + this->size_of(difference);
    const auto reference = bonded_reference::forces_of(term, x, this->constants);
    EXPECT_LE(this->distance(reference, difference), (kIsCmap ? 1e-9L : 1e-11L) * size);
    EXPECT_LE(this->distance(this->value_of(term, x).force, difference), (kIsCmap ? 1e-9L : 1e-11L) * size);
    this->expect_reference(term, x, 1e-13, 1e-12);
    if (TypeParam::kAtoms > 1) this->expect_no_net_force(term, x, 1e-14);
  }
}

/// Chains in a plane: φ is 0, 180° or −180° exactly, and each has neighbours on both sides.
TYPED_TEST(BondedPotentialTest, PlanarChainsAreLikeOthers) {
  if constexpr (TestFixture::kIsDihedral) {
    for (const double side : {-1.0, 1.0})
      for (const double offset : {0.0, 1e-300, 1e-16, -1e-16, 1e-12, -1e-9, 1e-6, -1e-3})
        for (int trial = 0; trial < 20; ++trial) {
          SCOPED_TRACE(testing::Message() << side << ' ' << offset);
          const auto term = this->sample.template term<typename TypeParam::Term>();
          PlacesOf<TypeParam> x{Vec3<double>{0.5, 1.25, 0}, Vec3<double>{0, 0, 0}, Vec3<double>{1.5, 0, 0},
                                Vec3<double>{2, side * 1.25, offset}};
          if (TypeParam::kAtoms == 5) x[TypeParam::kAtoms - 1] = {3.25, side * 1.25 + 1, -0.5 * offset};
          // Where the harmonic improper has its cusp, either force is right.
          if constexpr (std::is_same_v<TypeParam, ImproperPotential>)
            if (std::abs(std::abs(term.angle) - (side > 0 ? kPi : 0)) < 0.01) continue;
          this->expect_reference(term, x, 1e-13, 1e-12);
          this->expect_no_net_force(term, x, 1e-14);
          // Away from the lines of the grid, which planar chains are on.
          if constexpr (!std::is_same_v<TypeParam, CmapPotential>) {
            const auto difference = this->difference_forces(term, x, 1e-3L);
            EXPECT_LE(this->distance(this->value_of(term, x).force, difference),
                      1e-10L * (1 + this->size_of(difference)));
          }
        }
  }
}

TYPED_TEST(BondedPotentialTest, AreNeverNan) {
  using Places = PlacesOf<TypeParam>;
  const double huge = 1e12;
  for (int trial = 0; trial < 20; ++trial) {
    SCOPED_TRACE(trial);
    const auto term = this->sample.template term<typename TypeParam::Term>();
    const auto check = [&](const Places& x) {
      this->expect_no_nan(term, x);
      for (const double scale : {1e-200, 1e-30, 1e-10, huge}) {
        Places scaled = x;
        for (Vec3<double>& place : scaled) place *= scale;
        this->expect_no_nan(term, scaled);
      }
    };
    Places x = this->random_places();
    check(x);
    check(Places{});
    for (std::size_t a = 0; a < TypeParam::kAtoms; ++a)
      for (std::size_t b = 0; b < a; ++b) {
        Places coincident = x;
        coincident[a] = coincident[b];
        check(coincident);
        for (std::size_t c = 0; c < b; ++c) {
          coincident[c] = coincident[b];
          check(coincident);
        }
      }
    // On a line, in both directions, exactly and nearly.
    for (std::size_t first = 0; first + 2 < TypeParam::kAtoms; ++first)
      for (const double along : {1.0, 0.5, -1.0, -0.5, 1e-20})
        for (const double off : {0.0, 1e-300, 1e-160, 1e-100, 1e-20, 1e-16, 1e-10, 1e-8, 1e-7}) {
          Places line = x;
          line[first + 2] = line[first + 1] + along * (line[first + 1] - line[first]) + Vec3<double>{0, off, 0};
          check(line);
          line[first] = {0, 0, 0}, line[first + 1] = {1, 0, 0}, line[first + 2] = {1 + along, off, 0};
          check(line);
        }
    Places all = x;
    for (std::size_t a = 0; a < TypeParam::kAtoms; ++a) all[a] = {static_cast<double>(a), 0, 0};
    check(all);
  }
}

/// With integer coordinates, coincident atoms and atoms on a line have the finite values of the reference, in which a
/// derivative that does not exist is 0.
TYPED_TEST(BondedPotentialTest, DegenerateTermsHaveTheValuesOfTheReference) {
  using Term = typename TypeParam::Term;
  using Places = PlacesOf<TypeParam>;
  if constexpr (!std::is_same_v<Term, BondedPair>) {
    for (int trial = 0; trial < 300; ++trial) {
      Places x;
      for (Vec3<double>& place : x)
        place = {double(this->sample.integer(0, 1)), double(this->sample.integer(0, 1)),
                 double(this->sample.integer(0, trial % 2))};
      const auto term = this->sample.template term<Term>();
      this->expect_no_nan(term, x);
      this->expect_reference(term, x, 1e-12, 1e-11);
    }
  }
}

}  // namespace
}  // namespace dropmd
