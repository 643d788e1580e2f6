#include "inputs/water/joung_cheatham.h"

#include <array>
#include <cmath>

namespace dropmd {

namespace {

struct Parameters {
  double half_r_min, epsilon;
};

/// What an ion is, and its parameters in the sets for SPC/E, TIP3P and TIP4P-Ew, in the order of IonSet.
struct Ion {
  std::string_view name, residue;
  int atomic_number;
  double mass;
  int charge;
  std::array<Parameters, 3> sets;
};

/// Joung and Cheatham, J. Phys. Chem. B 112, 9020 (2008), Table 5: R_min/2 in Å, ε in kcal/mol. Masses are standard
/// atomic weights (IUPAC 2021).
constexpr std::array<Ion, 9> kIons{{
    {"Li", "LI", 3, 6.94, 1, {{{0.791, 0.3367344}, {1.025, 0.0279896}, {0.808, 0.1039884}}}},
    {"Na", "NA", 11, 22.990, 1, {{{1.212, 0.3526418}, {1.369, 0.0874393}, {1.226, 0.1684375}}}},
    {"K", "K", 19, 39.098, 1, {{{1.593, 0.4297054}, {1.705, 0.1936829}, {1.590, 0.2794651}}}},
    {"Rb", "RB", 37, 85.468, 1, {{{1.737, 0.4451036}, {1.813, 0.3278219}, {1.709, 0.4331494}}}},
    {"Cs", "CS", 55, 132.905, 1, {{{2.021, 0.0898565}, {1.976, 0.4065394}, {1.888, 0.3944318}}}},
    {"F", "F", 9, 18.998, -1, {{{2.257, 0.0074005}, {2.303, 0.0033640}, {2.538, 0.0015752}}}},
    {"Cl", "CL", 17, 35.45, -1, {{{2.711, 0.0127850}, {2.513, 0.0355910}, {2.760, 0.0116615}}}},
    {"Br", "BR", 35, 79.904, -1, {{{2.751, 0.0269586}, {2.608, 0.0586554}, {2.768, 0.0303773}}}},
    {"I", "I", 53, 126.904, -1, {{{2.919, 0.0427845}, {2.860, 0.0536816}, {2.952, 0.0417082}}}},
}};

}  // namespace

double IonModel::sigma() const { return 2 * half_r_min / std::pow(2.0, 1.0 / 6.0); }

std::vector<std::string_view> ion_names() {
  std::vector<std::string_view> names;
  for (const Ion& ion : kIons) names.push_back(ion.name);
  return names;
}

std::optional<IonModel> ion_named(std::string_view name, IonSet set) {
  for (const Ion& ion : kIons) {
    if (ion.name != name) continue;
    const Parameters& parameters = ion.sets[static_cast<std::size_t>(set)];
    return IonModel{.name = ion.name,
                    .residue = ion.residue,
                    .atomic_number = ion.atomic_number,
                    .mass = ion.mass,
                    .charge = ion.charge,
                    .half_r_min = parameters.half_r_min,
                    .epsilon = parameters.epsilon};
  }
  return std::nullopt;
}

}  // namespace dropmd
