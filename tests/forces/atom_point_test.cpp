#include "forces/fields/atom_point.h"

#include <gtest/gtest.h>

#include "forces/fields/atom_terms.h"

/// What a one-body term is told about an atom, and that a list of terms passes all of it on.
namespace dropmd {
namespace {

/// Three atoms that remain after others have left, with ids 3, 7 and 8.
Particles remaining_atoms() {
  Particles particles;
  particles.position = {{1, 0, 0}, {0, 2, 0}, {0, 0, 3}};
  particles.charge = {0.5, -1, 2};
  particles.id = {3, 7, 8};
  return particles;
}

TEST(AtomPoint, HasTheIdThatAnAtomKeeps) {
  Particles particles = remaining_atoms();
  for (std::size_t i = 0; i < 3; ++i) {
    const AtomPoint atom = atom_point(particles, i, particles.position[i], 4.0);
    EXPECT_EQ(atom.id.get(), particles.id[i]);
    EXPECT_EQ(*atom.charge, particles.charge[i]);
    EXPECT_EQ(atom.position, particles.position[i]);
    EXPECT_EQ(atom.time, 4);
  }
  particles.id.clear();
  for (std::uint32_t i = 0; i < 3; ++i) EXPECT_EQ(atom_point(particles, i, {}, 0).id.get(), i + 1);
}

/// As steps on a GPU give it: atoms are in another order there, and the table of ids is by index on the host.
TEST(AtomPoint, LooksTheIdUpByTheIndexOnTheHost) {
  const std::uint32_t host_index[] = {2, 0, 1}, id[] = {3, 7, 8};
  const std::uint32_t expected[] = {8, 3, 7};
  for (std::size_t k = 0; k < 3; ++k) {
    EXPECT_EQ(AtomId(host_index + k, id).get(), expected[k]);
    EXPECT_EQ(AtomId(host_index + k, nullptr).get(), host_index[k] + 1) << "ids 1 to n";
  }
}

/// A term that acts on the atom with id 7 alone: U = x for it, and t x if its strength grows with time.
class OnSeven {
 public:
  static constexpr std::string_view kSection = "seven";
  static FormList forms() { return {}; }
  OnSeven() = default;
  OnSeven(const FormChoice&, const Units&) : acts_(true) {}
  bool acts() const { return acts_; }
  bool driven() const { return acts_; }
  AtomTermValue operator()(const AtomPoint& atom) const {
    if (!acts_ || atom.id.get() != 7) return {};
    return {atom.time * atom.position.y, {0, -atom.time, 0}};
  }
  double energy_change(const AtomPoint& atom, double until) const {
    return atom.id.get() == 7 ? (until - atom.time) * atom.position.y : 0;
  }

 private:
  bool acts_ = false;
};

TEST(AtomPoint, ReachesEveryFunctionOfTheTerms) {
  const AtomTermList<UniformField, OnSeven> terms({{"seven", FormChoice{"seven"}}}, kLjUnits);
  const Particles particles = remaining_atoms();
  for (std::size_t i = 0; i < 3; ++i) {
    const bool acts = particles.id[i] == 7;
    const AtomPoint from = atom_point(particles, i, {0, 1, 0}, 2), to = atom_point(particles, i, {0, 4, 0}, 3);
    EXPECT_EQ(terms.force(from), (Vec3<double>{0, acts ? -2.0 : 0.0, 0}));
    double energy[2] = {};
    terms.add_energies(from, energy);
    EXPECT_EQ(energy[1], acts ? 2 : 0);
    EXPECT_EQ(terms.energy_change(from, atom_point(particles, i, {0, 4, 0}, 2)), acts ? 6 : 0);
    EXPECT_EQ(terms.driven_work(from, to), acts ? 0.5 * (1 + 4) : 0) << "half at each position";
  }
}

}  // namespace
}  // namespace dropmd
