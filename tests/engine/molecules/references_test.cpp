#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "device/device_info.h"
#include "engine/force_field.h"
#include "engine/molecules/site_forces.h"
#include "tests/support/molecules/reference_system.h"

/// Energies and forces of molecules against those of GROMACS and OpenMM (tests/references/README.md).
namespace dropmd {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::json;

std::vector<std::string> reference_names() {
  std::vector<std::string> names;
  for (const fs::directory_entry& entry : fs::directory_iterator(reference_folder("")))
    if (fs::exists(entry.path() / "reference.json")) names.push_back(entry.path().filename().string());
  std::sort(names.begin(), names.end());
  return names;
}

/// A system and what other programs say about it.
struct Case {
  explicit Case(const std::string& name)
      : reference(read_reference(name)), system(reference_system(name, reference_config(name))) {}

  nlohmann::json reference;
  System system;
};

/// Returns the energy of a component; for "bond+urey_bradley" the sum.
double energy_of(const Energies& energies, std::string_view name) {
  if (name == "potential") return energies.potential();
  double sum = 0;
  for (std::size_t plus = 0; plus != std::string_view::npos;) {
    plus = name.find('+');
    sum += energies.of(name.substr(0, plus));
    if (plus != std::string_view::npos) name.remove_prefix(plus + 1);
  }
  return sum;
}

class MolecularReference : public testing::TestWithParam<std::string> {
 protected:
  static void expect_energies_and_forces(Backend backend) {
    if (GetParam() == "openmm_local_sites") {
      EXPECT_THROW(Case{GetParam()}, InputError) << "no form of virtual sites expresses these";
      return;
    }
    const Case given(GetParam());
    const double energy_tolerance = given.reference["tolerance"]["energy"];
    const double force_tolerance = given.reference["tolerance"]["force"];
    Method method;
    method.backend = backend;
    method.precision = Precision::fp64;
    method.neighbor = NeighborMethod::all_pairs;
    std::vector<Vec3<double>> force(given.system.particles.size(), {1e9, 1e9, 1e9});
    ForceField field(given.system, method);
    const Energies energies =
        field.evaluate({given.system.particles.position}, Want::forces_and_energies, force).energies;
    spread_site_forces(given.system, force);
    double listed = 0;
    for (const auto& [name, energy] : given.reference["energies"].items()) {
      EXPECT_NEAR(energy_of(energies, name), energy.get<double>(), energy_tolerance) << name;
      if (name != "potential") listed += energy_of(energies, name);
    }
    EXPECT_NEAR(listed, energies.potential(), 1e-9) << "nothing else has an energy";
    const Json& forces = given.reference["forces"];
    ASSERT_EQ(forces.size(), force.size());
    for (std::size_t i = 0; i < force.size(); ++i) {
      const Vec3<double> expected{forces[i][0], forces[i][1], forces[i][2]};
      EXPECT_LE(norm(force[i] - expected), std::sqrt(3.0) * force_tolerance) << "atom " << i + 1;
    }
  }
};

TEST_P(MolecularReference, EnergiesAndForcesInDouble) { expect_energies_and_forces(Backend::cpu); }

TEST_P(MolecularReference, EnergiesAndForcesInDoubleOnTheGpu) {
  if (const std::string reason = query_devices().reason; !reason.empty()) GTEST_SKIP() << reason;
  expect_energies_and_forces(Backend::cuda);
}

TEST_P(MolecularReference, PositionsOfVirtualSites) {
  const Json reference = read_reference(GetParam());
  if (!reference.contains("site_positions") || GetParam() == "openmm_local_sites")
    GTEST_SKIP() << "the system has no virtual sites of dropmd's forms";
  const Case given(GetParam());
  for (const auto& [id, place] : reference["site_positions"].items()) {
    const Vec3<double> expected{place[0], place[1], place[2]};
    EXPECT_LE(norm(given.system.particles.position[std::stoul(id) - 1] - expected), 1e-9) << id;
  }
}

INSTANTIATE_TEST_SUITE_P(Systems, MolecularReference, testing::ValuesIn(reference_names()),
                         [](const auto& name) { return name.param; });

}  // namespace
}  // namespace dropmd
