#include "engine/droplet/atom_groups.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "engine/degrees_of_freedom.h"
#include "engine/model/system.h"
#include "inputs/structures/structure.h"
#include "tests/support/molecules/reference_system.h"
#include "tests/support/short_run.h"

namespace dropmd {
namespace {

/// Atoms that a program adds have the groups that a run that resumes from there gives them.
TEST(AtomGroups, OfAddedAtomsAreThoseOfARunThatResumes) {
  RunConfig config = lj_run(verlet(0.01), 1);
  Structure structure;
  structure.position = {{0, 0, 0}, {1.1, 0, 0}, {9, 0, 0}, {12, 0, 0}};
  structure.species = {0, 0, 0, 1};
  structure.species_names = {"Ar", "X"};
  const System system = build_system(config, structure);
  const MoleculeTable table = molecules_of(system);
  constexpr std::size_t kFirstAdded = 2;
  const DropletState members{.members = {1, 2}};
  for (const auto recenter : {Recenter::none, Recenter::droplet})
    for (const std::string_view applies_to : {kAllAtoms, kDropletAtoms, kVapourAtoms, std::string_view("X")}) {
      config.recenter = recenter;
      config.applies_to = applies_to;
      std::vector<char> member(table.size(), 1);
      if (config.follows_droplet()) member = are_members(table, members);
      Particles particles = system.particles;
      particles.groups.assign(particles.size(), field::Groups::kDefault);
      set_groups_of_added(particles, kFirstAdded, config);
      const std::vector<std::uint8_t> resumed = atom_groups(table, member, applies_to);
      for (std::size_t i = 0; i < particles.size(); ++i)
        EXPECT_EQ(particles.groups[i], i < kFirstAdded ? field::Groups::kDefault : resumed[i]) << applies_to << i;
    }
}

/// A topology may have a constraint twice.
TEST(AtomGroups, DegreesOfABathCountEachConstraintOnce) {
  RunConfig config = reference_config("spce_ions");
  System system = reference_system("spce_ions", config);
  config.applies_to = "SOL";
  system.particles.groups.assign(system.particles.size(), 0);
  for (std::size_t i = 0; i < 6; ++i) system.particles.groups[i] = field::kInBath;
  const std::size_t n_dof = degrees_of_freedom(system, config);
  EXPECT_EQ(bath_degrees(system, config, n_dof), 12U) << "two rigid waters";
  auto twice = std::make_shared<Topology>(*system.topology);
  twice->constraints.insert(twice->constraints.end(), system.topology->constraints.begin(),
                            system.topology->constraints.end());
  system.topology = twice;
  EXPECT_EQ(bath_degrees(system, config, n_dof), 12U);
}

}  // namespace
}  // namespace dropmd
