#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <string>

#include "core/units.h"
#include "forces/bonded/reference/bonded_reference.h"
#include "integrators/virtual_sites/cpu_virtual_sites.h"
#include "tests/inputs/openmm_samples.h"

/// Systems that OpenMM wrote, with its energies and positions of virtual sites (tests/data/openmm/make_systems.py).
namespace dropmd {
namespace {

namespace fs = std::filesystem;

struct AnswerOfOpenmm {
  double energy = 0;                   ///< kcal/mol
  std::vector<Vec3<double>> position;  ///< Å
};

AnswerOfOpenmm answer_of(const std::string& name) {
  std::ifstream in(fs::path(DROPMD_SOURCE_DIR) / "tests/data/openmm" / (name + ".txt"));
  AnswerOfOpenmm answer;
  in >> answer.energy;
  for (Vec3<double> x; in >> x.x >> x.y >> x.z;) answer.position.push_back(x);
  return answer;
}

long double nonbonded_energy(const MolecularModel& model, const std::vector<Vec3<double>>& x) {
  long double sum = 0;
  const std::size_t n_types = model.type_names.size();
  for (std::uint32_t i = 0; i < model.size(); ++i)
    for (std::uint32_t j = 0; j < i; ++j) {
      const auto excluded = model.topology.exclusions.of(i);
      if (std::find(excluded.begin(), excluded.end(), j) != excluded.end()) continue;
      const LjParameters lj = model.lj[model.type[i] * n_types + model.type[j]];
      const BondedPair pair{.atom = {i, j}, .lj = lj, .charges = model.charge[i] * model.charge[j]};
      const auto [vdw, coulomb] =
          bonded_reference::energies_of(pair, {x[i], x[j]}, {.coulomb_constant = kRealUnits.coulomb});
      sum += vdw + coulomb;
    }
  return sum;
}

long double energy_of(const MolecularModel& model, const std::vector<Vec3<double>>& x) {
  const bonded_reference::CmapSplines splines(model.topology.cmap_grids);
  const bonded_reference::Constants constants{.coulomb_constant = kRealUnits.coulomb, .cmap_splines = &splines};
  long double sum = nonbonded_energy(model, x);
  const auto add = [&]<class Term>(const std::vector<Term>& terms) {
    for (const Term& term : terms) {
      std::array<Vec3<double>, bonded_reference::kAtomsOf<Term>> positions;
      for (std::size_t a = 0; a < positions.size(); ++a) positions[a] = x[term.atom[a]];
      for (const long double energy : bonded_reference::energies_of(term, positions, constants)) sum += energy;
    }
  };
  std::apply([&](const auto&... terms) { (add(terms), ...); }, model.topology.terms);
  return sum;
}

class OpenmmSystem : public testing::TestWithParam<const char*> {};

/// OpenMM's k_e and the conversion from kJ agree with ours to 1e-9 or better.
TEST_P(OpenmmSystem, HasOpenmmsEnergy) {
  const AnswerOfOpenmm answer = answer_of(GetParam());
  const MolecularModel model = openmm_sample(GetParam());
  ASSERT_EQ(answer.position.size(), model.size());
  EXPECT_NEAR(static_cast<double>(energy_of(model, answer.position)), answer.energy, 1e-8 * std::abs(answer.energy));
}

INSTANTIATE_TEST_SUITE_P(All, OpenmmSystem,
                         testing::Values("terms", "sites", "tables", "root_tables", "products", "geometric"),
                         [](const auto& test) { return std::string(test.param); });

TEST(OpenmmSites, AreWhereOpenmmPlacesThem) {
  const AnswerOfOpenmm answer = answer_of("sites");
  const MolecularModel model = openmm_sample("sites");
  std::vector<Vec3<double>> position = answer.position;
  for (const VirtualSite& site : model.topology.virtual_sites) position[site.site] = {};
  CpuVirtualSites(plan_virtual_sites(model.topology, model.size())).place(Cpu{}, position);
  ASSERT_EQ(model.topology.virtual_sites.size(), 10U);
  for (const VirtualSite& site : model.topology.virtual_sites)
    EXPECT_LE(norm(position[site.site] - answer.position[site.site]), 1e-8) << site.site;
}

}  // namespace
}  // namespace dropmd
