#include "core/units.h"

#include <gtest/gtest.h>

namespace dropmd {
namespace {

/// Derived from the exact constants of the SI (2019) and the thermochemical calorie of 4.184 J.
TEST(Units, RealFollowsFromTheSi) {
  constexpr double kBoltzmann = 1.380649e-23, kAvogadro = 6.02214076e23, kCalorie = 4.184;
  EXPECT_NEAR(kRealUnits.boltzmann, kBoltzmann * kAvogadro / (1000 * kCalorie), 1e-16);
  // 1 kcal/mol/Å on 1 g/mol: 4184 J/mol / 1e-10 m / 1e-3 kg/mol = 4.184e16 m/s² = 4.184e-4 Å/fs².
  EXPECT_DOUBLE_EQ(kRealUnits.acceleration, 1000 * kCalorie / 1e-10 / 1e-3 * 1e10 * 1e-30);
  // k_e = e² N_A/(4π ε0), with ε0 of CODATA 2018; programs differ in its last digits.
  constexpr double kCharge = 1.602176634e-19, kCoulomb = 8.9875517923e9;
  EXPECT_NEAR(kRealUnits.coulomb, kCoulomb * kCharge * kCharge * kAvogadro / (1000 * kCalorie) * 1e10, 1e-4);
}

/// 1 kcal/mol/e is 4184 J/mol over the Faraday constant e N_A; the constant has 12 digits.
TEST(Units, VoltsFollowFromTheSi) {
  constexpr double kCharge = 1.602176634e-19, kAvogadro = 6.02214076e23;
  constexpr double kVolts = 4184 / (kCharge * kAvogadro);
  EXPECT_NEAR(kVoltPerEnergy, kVolts, 1e-12 * kVolts);
}

TEST(Units, ReducedConstantsAreOne) {
  EXPECT_EQ(kLjUnits.coulomb, 1);
  EXPECT_EQ(kLjUnits.boltzmann, 1);
  EXPECT_EQ(kLjUnits.acceleration, 1);
}

TEST(Units, NamesLeadBackToTheirSystems) {
  for (const UnitSystem system : {UnitSystem::real, UnitSystem::lj}) {
    EXPECT_EQ(units_of(system).system, system);
    EXPECT_EQ(unit_system_named(units_of(system).name), system);
  }
  EXPECT_EQ(unit_system_named("metal"), std::nullopt);
  EXPECT_EQ(unit_system_named("Real"), std::nullopt);
}

}  // namespace
}  // namespace dropmd
