#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "inputs/water/water_model.h"

namespace dropmd {

/// A monovalent ion with its Lennard-Jones parameters for one water model.
struct IonModel {
  std::string_view name;     ///< the element's symbol, which is the word on the command line
  std::string_view residue;  ///< name of its molecule, residue and atom in files, as in AMBER: "NA"
  int atomic_number = 0;
  double mass = 0;        ///< g/mol
  int charge = 0;         ///< e
  double half_r_min = 0;  ///< Å; half the distance of the potential minimum of two such ions
  double epsilon = 0;     ///< kcal/mol

  double sigma() const;  ///< Å
};

/// Returns the names of the ions: Li, Na, K, Rb, Cs, F, Cl, Br, I.
std::vector<std::string_view> ion_names();

/// Returns the ion of that name in a set; nullopt if there is none.
std::optional<IonModel> ion_named(std::string_view name, IonSet set);

}  // namespace dropmd
