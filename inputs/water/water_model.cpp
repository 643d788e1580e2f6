#include "inputs/water/water_model.h"

#include <array>
#include <cmath>
#include <numbers>

namespace dropmd {

namespace {

/// Surface tensions are those of Vega and de Miguel, J. Chem. Phys. 126, 154707 (2007), at 300 K.
constexpr std::array kModels{
    WaterModel{.name = "spce",
               .title = "SPC/E",
               .source = "Berendsen, Grigera and Straatsma, J. Phys. Chem. 91, 6269 (1987)",
               .hydrogen_charge = 0.4238,
               .sigma = 3.16557,
               .epsilon = 0.65017,
               .bond = 1.0,
               .angle = 109.4712206344907,  // tetrahedral: its cosine is -1/3
               .site_distance = 0,
               .surface_tension = 0.0636,
               .ions = IonSet::spce},
    WaterModel{.name = "tip3p",
               .title = "TIP3P",
               .source = "Jorgensen et al., J. Chem. Phys. 79, 926 (1983)",
               .hydrogen_charge = 0.417,
               .sigma = 3.15061,
               .epsilon = 0.6364,
               .bond = 0.9572,
               .angle = 104.52,
               .site_distance = 0,
               .surface_tension = 0.0523,
               .ions = IonSet::tip3p},
    WaterModel{.name = "tip4p2005",
               .title = "TIP4P/2005",
               .source = "Abascal and Vega, J. Chem. Phys. 123, 234505 (2005)",
               .hydrogen_charge = 0.5564,
               .sigma = 3.1589,
               .epsilon = 0.7749,
               .bond = 0.9572,
               .angle = 104.52,
               .site_distance = 0.1546,
               .surface_tension = 0.0693,
               .ions = IonSet::tip4pew},
};

double half_angle(const WaterModel& model) { return 0.5 * model.angle * std::numbers::pi / 180; }

}  // namespace

double WaterModel::hydrogen_distance() const { return 2 * bond * std::sin(half_angle(*this)); }

double WaterModel::site_coefficient() const { return site_distance / (2 * bond * std::cos(half_angle(*this))); }

std::vector<Vec3<double>> WaterModel::geometry() const {
  const double x = 0.5 * hydrogen_distance(), z = bond * std::cos(half_angle(*this));
  std::vector<Vec3<double>> sites{{0, 0, 0}, {x, 0, z}, {-x, 0, z}};
  if (has_site()) sites.push_back({0, 0, site_distance});
  return sites;
}

std::vector<double> WaterModel::charges() const {
  const double q = hydrogen_charge;
  return has_site() ? std::vector{0.0, q, q, -2 * q} : std::vector{-2 * q, q, q};
}

std::span<const WaterModel> water_models() { return kModels; }

}  // namespace dropmd
