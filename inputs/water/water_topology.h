#pragma once

#include <array>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "inputs/water/joung_cheatham.h"
#include "inputs/water/water_model.h"

namespace dropmd {

/// A kind of ion and how many there are of it.
struct IonCount {
  IonModel ion;
  std::size_t count = 0;
};

/// Molecules of a water droplet, in the order of its structure: all waters, then the ions of each kind.
struct WaterComposition {
  WaterModel model;
  std::size_t waters = 0;
  std::vector<IonCount> ions{};

  std::size_t molecules() const;
  std::size_t atoms() const;
  double charge() const;  ///< e
};

/// Residue and molecule name of water, and the names of its atoms in the order of WaterModel::geometry().
inline constexpr std::string_view kWaterResidue = "SOL";
inline constexpr std::array<std::string_view, 4> kWaterAtomNames{"OW", "HW1", "HW2", "MW"};

/// Returns a GROMACS topology without #include: rigid water by [ settles ], ions of Joung and Cheatham with unscaled
/// charges, Lorentz-Berthelot mixing. read_gromacs_topology() and grompp read it.
std::string water_topology(const WaterComposition& composition, std::string_view title);

}  // namespace dropmd
