#pragma once

#include <stdlib.h>

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "inputs/topologies/gromacs/gromacs_topology.h"
#include "tests/support/system/temp_folder.h"

namespace dropmd {

/// Reads a topology of that text. Force fields that are installed do not matter.
inline MolecularModel model_of(std::string_view text, const GromacsOptions& options = {}) {
  ::setenv("GMXLIB", "", 1);
  const TempFolder folder;
  return read_gromacs_topology(folder.write("a.top", text), options);
}

/// A force field of a few types, with Lorentz-Berthelot's rules.
inline constexpr std::string_view kSmallField = R"([ defaults ]
1 2 yes 0.5 0.8
[ atomtypes ]
C 12.0 0.1 A 0.3 0.5
H 1.0 0.2 A 0.2 0.1
M 0.0 0.0 V 0.0 0.0
)";

/// The molecule type mol of six carbons and two sites.
inline constexpr std::string_view kSmallMolecule = R"([ moleculetype ]
mol 3
[ atoms ]
1 C 1 MOL C1 1 0.5
2 C 1 MOL C2 1 -0.5
3 C 1 MOL C3 1 0.25
4 C 1 MOL C4 1 0.75
5 C 1 MOL C5 1
6 C 1 MOL C6 1 0 24.0
)";

inline constexpr std::string_view kOneMolecule = "[ system ]\nsmall\n[ molecules ]\nmol 1\n";

/// The model of one molecule: the small force field with more parameters, and the small molecule with more sections.
inline MolecularModel small_model(std::string_view parameters, std::string_view sections) {
  return model_of(std::string(kSmallField) + std::string(parameters) + std::string(kSmallMolecule) +
                  std::string(sections) + std::string(kOneMolecule));
}

template <class Term>
const std::vector<Term>& terms_of(const MolecularModel& model) {
  return std::get<std::vector<Term>>(model.topology.terms);
}

/// The pairs of a model that are excluded, by atom numbers from 1, the smaller first.
inline std::vector<std::pair<int, int>> excluded_pairs(const MolecularModel& model) {
  std::vector<std::pair<int, int>> pairs;
  for (std::size_t atom = 0; atom < model.size(); ++atom)
    for (const std::uint32_t other : model.topology.exclusions.of(atom))
      if (other > atom) pairs.emplace_back(static_cast<int>(atom) + 1, static_cast<int>(other) + 1);
  return pairs;
}

inline constexpr double kRadian = 3.14159265358979323846 / 180;

}  // namespace dropmd
