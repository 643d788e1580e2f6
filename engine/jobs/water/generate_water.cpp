#include "engine/jobs/water/generate_water.h"

#include <cmath>
#include <numbers>
#include <span>
#include <string>
#include <vector>

#include "core/philox.h"
#include "engine/jobs/water/fcc_ball.h"
#include "engine/jobs/water/ion_sites.h"
#include "engine/jobs/water/orientations.h"
#include "engine/jobs/water/random_blocks.h"

namespace dropmd {

namespace {

/// Avogadro's number times 1 cm³ in 1 Å³ (SI of 2019).
constexpr double kMoleculesPerMole = 0.602214076;
constexpr double kWaterMass = kOxygenMass + 2 * kHydrogenMass;
constexpr double kLiquidNumberDensity = kLiquidDensity * kMoleculesPerMole / kWaterMass;  // Å⁻³

/// Largest displacement of each coordinate, Å: no row of molecules stays exact, and no molecule comes near another.
constexpr double kDisplacement = 0.1;

double sphere_volume(double radius) { return 4.0 / 3.0 * std::numbers::pi * radius * radius * radius; }

Vec3<double> mean(std::span<const Vec3<double>> positions) {
  Vec3<double> sum;
  for (const Vec3<double>& x : positions) sum += x;
  return (1.0 / static_cast<double>(positions.size())) * sum;
}

/// Returns the positions of the molecules, whose centre is the origin.
std::vector<Vec3<double>> site_positions(const FccBall& ball, double radius, std::uint64_t seed) {
  const auto n = static_cast<double>(ball.size());
  const double unit = std::cbrt(sphere_volume(radius) / (2 * n));
  const RandomKey key{seed, RandomPurpose::generate};
  std::vector<Vec3<double>> positions;
  for (std::size_t i = 0; i < ball.size(); ++i)
    positions.push_back(unit * ball.position(i) +
                        kDisplacement * (2.0 * uniform_vec3(key, i, kDisorder) - Vec3<double>{1, 1, 1}));
  const Vec3<double> centre = mean(positions);
  for (Vec3<double>& x : positions) x -= centre;
  return positions;
}

/// Adds atoms in the order of the files.
class Assembly {
 public:
  explicit Assembly(GeneratedWater& droplet) : particles_(droplet.particles), names_(droplet.names) {}

  /// Starts a molecule of one residue.
  void begin_molecule(std::string_view residue) {
    residue_ = residue;
    ++number_;
  }
  void add_atom(std::string_view name, const Vec3<double>& x, double charge, double mass) {
    particles_.position.push_back(x);
    particles_.charge.push_back(charge);
    particles_.mass.push_back(mass);
    particles_.species.push_back(species_of(name));
    names_.atom_name.emplace_back(name);
    names_.residue_name.emplace_back(residue_);
    names_.residue_number.push_back(number_);
  }

 private:
  std::uint32_t species_of(std::string_view name) {
    std::vector<std::string>& known = particles_.species_names;
    for (std::size_t s = 0; s < known.size(); ++s)
      if (known[s] == name) return static_cast<std::uint32_t>(s);
    known.emplace_back(name);
    return static_cast<std::uint32_t>(known.size() - 1);
  }

  Particles& particles_;
  AtomNames& names_;
  std::string_view residue_;
  std::int32_t number_ = 0;
};

}  // namespace

double liquid_radius(double molecules) {
  return std::cbrt(3 * molecules / (4 * std::numbers::pi * kLiquidNumberDensity));
}

double liquid_molecules(double radius) { return kLiquidNumberDensity * sphere_volume(radius); }

GeneratedWater generate_water(const WaterRecipe& recipe) {
  const WaterComposition& composition = recipe.composition;
  const WaterModel& model = composition.model;
  const FccBall ball(composition.molecules(), recipe.seed);
  const std::vector<Vec3<double>> positions = site_positions(ball, recipe.radius, recipe.seed);

  std::vector<std::size_t> counts;
  for (const IonCount& kind : composition.ions) counts.push_back(kind.count);
  const std::vector<std::uint32_t> ions = ion_sites(positions, recipe.radius, counts);
  std::vector<WaterSite> sites;
  for (const Vec3<double>& x : positions) sites.push_back({x});
  for (std::size_t k = 0, next = 0; k < counts.size(); ++k)
    for (std::size_t m = 0; m < counts[k]; ++m) sites[ions[next++]].ion_charge = composition.ions[k].ion.charge;
  const std::vector<Vec3<double>> atoms = orient_waters(model, ball, sites, recipe.seed);

  GeneratedWater droplet;
  Assembly assembly(droplet);
  const std::vector<double> charges = model.charges();
  constexpr std::array kMasses{kOxygenMass, kHydrogenMass, kHydrogenMass, 0.0};
  for (std::size_t i = 0; i < sites.size(); ++i) {
    if (sites[i].ion_charge != 0) continue;
    assembly.begin_molecule(kWaterResidue);
    for (std::size_t k = 0; k < model.size(); ++k)
      assembly.add_atom(kWaterAtomNames[k], positions[i] + atoms[i * model.size() + k], charges[k], kMasses[k]);
  }
  for (std::size_t k = 0, next = 0; k < counts.size(); ++k) {
    const IonModel& ion = composition.ions[k].ion;
    for (std::size_t m = 0; m < counts[k]; ++m) {
      assembly.begin_molecule(ion.residue);
      assembly.add_atom(ion.residue, positions[ions[next++]], ion.charge, ion.mass);
    }
  }
  return droplet;
}

}  // namespace dropmd
