#include "inputs/water/water_topology.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "inputs/water/joung_cheatham.h"
#include "inputs/water/water_model.h"
#include "tests/inputs/topologies/topology_text.h"

/// The tables of water models and ions, and the topology that states them.
namespace dropmd {
namespace {

constexpr double kKilojoulePerKilocalorie = 4.184;

const WaterModel& water(std::string_view name) {
  for (const WaterModel& model : water_models())
    if (model.name == name) return model;
  throw std::out_of_range(std::string(name));
}

struct OpenMmIon {
  IonSet set;
  std::string_view name;
  double sigma, epsilon;  // nm, kJ/mol
};

/// From amber14/spce.xml, tip3p.xml and tip4pew.xml of OpenMM 8, which were converted from AMBER's files.
constexpr std::array kOpenMmIons{
    OpenMmIon{IonSet::spce, "Li", 0.1409401772, 1.4088967296},
    OpenMmIon{IonSet::spce, "Na", 0.2159538493, 1.4754532912},
    OpenMmIon{IonSet::spce, "K", 0.2838403316, 1.7978873936},
    OpenMmIon{IonSet::spce, "Rb", 0.3094982147, 1.8623134624},
    OpenMmIon{IonSet::spce, "Cs", 0.3601012619, 0.3759595960},
    OpenMmIon{IonSet::spce, "F", 0.4021516814, 0.0309636920},
    OpenMmIon{IonSet::spce, "Cl", 0.4830452850, 0.0534924400},
    OpenMmIon{IonSet::spce, "Br", 0.4901724747, 0.1127947824},
    OpenMmIon{IonSet::spce, "I", 0.5201066717, 0.1790103480},
    OpenMmIon{IonSet::tip3p, "Li", 0.1826342372, 0.1171084864},
    OpenMmIon{IonSet::tip3p, "Na", 0.2439280690, 0.3658460312},
    OpenMmIon{IonSet::tip3p, "K", 0.3037964629, 0.8103692536},
    OpenMmIon{IonSet::tip3p, "Rb", 0.3230398752, 1.3716068296},
    OpenMmIon{IonSet::tip3p, "Cs", 0.3520831734, 1.7009608496},
    OpenMmIon{IonSet::tip3p, "F", 0.4103479496, 0.0140749760},
    OpenMmIon{IonSet::tip3p, "Cl", 0.4477656957, 0.1489127440},
    OpenMmIon{IonSet::tip3p, "Br", 0.4646927714, 0.2454141936},
    OpenMmIon{IonSet::tip3p, "I", 0.5095940668, 0.2246038144},
    OpenMmIon{IonSet::tip4pew, "Li", 0.1439692329, 0.4350874656},
    OpenMmIon{IonSet::tip4pew, "Na", 0.2184483657, 0.7047425000},
    OpenMmIon{IonSet::tip4pew, "K", 0.2833057924, 1.1692819784},
    OpenMmIon{IonSet::tip4pew, "Rb", 0.3045091819, 1.8122970896},
    OpenMmIon{IonSet::tip4pew, "Cs", 0.3364033560, 1.6503026512},
    OpenMmIon{IonSet::tip4pew, "F", 0.4522201893, 0.0065906368},
    OpenMmIon{IonSet::tip4pew, "Cl", 0.4917760924, 0.0487917160},
    OpenMmIon{IonSet::tip4pew, "Br", 0.4932015304, 0.1270986232},
    OpenMmIon{IonSet::tip4pew, "I", 0.5259866032, 0.1745071088},
};

TEST(WaterModels, IonsAreThoseOfOpenMm) {
  for (const OpenMmIon& expected : kOpenMmIons) {
    const std::optional<IonModel> ion = ion_named(expected.name, expected.set);
    ASSERT_TRUE(ion) << expected.name;
    EXPECT_NEAR(0.1 * ion->sigma(), expected.sigma, 1e-10) << expected.name;
    EXPECT_NEAR(kKilojoulePerKilocalorie * ion->epsilon, expected.epsilon, 1e-10) << expected.name;
    EXPECT_EQ(std::abs(ion->charge), 1);
  }
  EXPECT_EQ(ion_names().size(), 9U);
  EXPECT_FALSE(ion_named("Mg", IonSet::spce));
}

TEST(WaterModels, Geometry) {
  EXPECT_NEAR(water("spce").hydrogen_distance(), 1.6329931618554520, 1e-12) << "two thirds of the root of 6";
  EXPECT_NEAR(water("tip3p").hydrogen_distance(), 1.5139006545273223, 1e-12);
  EXPECT_NEAR(water("tip4p2005").site_coefficient(), 0.1319377681915463, 1e-12);
  for (const WaterModel& model : water_models()) {
    const std::vector<Vec3<double>> x = model.geometry();
    ASSERT_EQ(x.size(), model.size());
    EXPECT_EQ(x[0], Vec3<double>{});
    EXPECT_NEAR(norm(x[1]), model.bond, 1e-12);
    EXPECT_NEAR(norm(x[2]), model.bond, 1e-12);
    EXPECT_NEAR(norm(x[1] - x[2]), model.hydrogen_distance(), 1e-12);
    if (model.has_site()) {
      EXPECT_NEAR(norm(x[3] - model.site_coefficient() * (x[1] + x[2])), 0, 1e-12);
    }
    double sum = 0;
    for (const double q : model.charges()) sum += q;
    EXPECT_NEAR(sum, 0, 1e-15);
  }
}

WaterComposition composition_of(std::string_view name) {
  const WaterModel& model = water(name);
  return {model, 5, {{*ion_named("Na", model.ions), 2}, {*ion_named("I", model.ions), 3}}};
}

TEST(WaterTopology, IsReadBack) {
  for (const WaterModel& water : water_models()) {
    const WaterComposition composition = composition_of(water.name);
    const MolecularModel model = model_of(water_topology(composition, "droplet"));
    EXPECT_TRUE(model.warnings.empty()) << model.warnings[0];
    EXPECT_EQ(model.title, "droplet");
    EXPECT_EQ(model.molecule_names, (std::vector<std::string>{"SOL", "NA", "I"}));
    ASSERT_EQ(model.size(), composition.atoms());
    ASSERT_EQ(model.size(), 5 * water.size() + 5);
    double charge = 0, mass = 0;
    for (std::size_t i = 0; i < model.size(); ++i) charge += model.charge[i], mass += model.mass[i];
    EXPECT_NEAR(charge, -1, 1e-12);
    EXPECT_EQ(composition.charge(), -1);
    EXPECT_NEAR(mass, 5 * 18.0154 + 2 * 22.990 + 3 * 126.904, 1e-9);
    EXPECT_EQ(model.topology.constraints.size(), 15U);
    EXPECT_EQ(model.topology.virtual_sites.size(), water.has_site() ? 5U : 0U);
    for (const Constraint& bond : model.topology.constraints) {
      const double expected = bond.atom[0] % water.size() == 0 ? water.bond : water.hydrogen_distance();
      EXPECT_NEAR(bond.length, expected, 1e-12);
    }
    for (const VirtualSite& site : model.topology.virtual_sites) {
      EXPECT_EQ(site.form, SiteForm::three);
      EXPECT_NEAR(site.parameter[0], water.site_coefficient(), 1e-14);
      EXPECT_NEAR(site.parameter[1], water.site_coefficient(), 1e-14);
    }
    EXPECT_EQ(excluded_pairs(model).size(), 5 * water.size() * (water.size() - 1) / 2);
  }
}

TEST(WaterTopology, ParametersMixByLorentzAndBerthelot) {
  const WaterModel& water = water_models()[0];
  const MolecularModel model = model_of(water_topology(composition_of(water.name), "droplet"));
  const auto lj = [&](std::size_t i, std::size_t j) {
    return model.lj[model.type[i] * model.type_names.size() + model.type[j]];
  };
  const std::size_t oxygen = 0, hydrogen = 1, sodium = 15;
  const IonModel ion = *ion_named("Na", water.ions);
  EXPECT_NEAR(lj(oxygen, oxygen).sigma, water.sigma, 1e-9);
  EXPECT_NEAR(lj(oxygen, oxygen).epsilon, water.epsilon / kKilojoulePerKilocalorie, 1e-9);
  EXPECT_EQ(lj(hydrogen, oxygen).epsilon, 0);
  EXPECT_NEAR(lj(oxygen, sodium).sigma, 0.5 * (water.sigma + ion.sigma()), 1e-8);
  EXPECT_NEAR(lj(oxygen, sodium).epsilon, std::sqrt(water.epsilon / kKilojoulePerKilocalorie * ion.epsilon), 1e-9);
}

}  // namespace
}  // namespace dropmd
