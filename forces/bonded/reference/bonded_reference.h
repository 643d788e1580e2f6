#pragma once

#include <array>
#include <cstddef>
#include <tuple>

#include "core/vec3.h"
#include "forces/bonded/reference/bonded_energies.h"
#include "forces/bonded/reference/dual.h"

namespace dropmd::bonded_reference {

/// The number of atoms of a kind of terms.
template <class Term>
inline constexpr std::size_t kAtomsOf = std::tuple_size_v<decltype(Term::atom)>;

/// Returns the energies of a term in long double. x: [n_atoms][3] positions of its atoms, length.
template <class Term>
auto energies_of(const Term& term, const std::array<Vec3<double>, kAtomsOf<Term>>& x, const Constants& constants) {
  std::array<Vec3<long double>, kAtomsOf<Term>> wide;
  for (std::size_t a = 0; a < x.size(); ++a) wide[a] = {x[a].x, x[a].y, x[a].z};
  return energies(term, wide, constants);
}

/// Returns the forces on the atoms of a term, the negative derivatives of its energies in long double.
template <class Term>
std::array<Vec3<long double>, kAtomsOf<Term>> forces_of(const Term& term,
                                                        const std::array<Vec3<double>, kAtomsOf<Term>>& x,
                                                        const Constants& constants) {
  constexpr std::size_t n = kAtomsOf<Term>;
  using Number = Dual<3 * n>;
  std::array<Vec3<Number>, n> variables;
  for (std::size_t a = 0; a < n; ++a)
    variables[a] = {Number::variable(x[a].x, 3 * a), Number::variable(x[a].y, 3 * a + 1),
                    Number::variable(x[a].z, 3 * a + 2)};
  std::array<Vec3<long double>, n> force{};
  for (const Number& energy : energies(term, variables, constants))
    for (std::size_t a = 0; a < n; ++a)
      force[a] -= Vec3<long double>{energy.by[3 * a], energy.by[3 * a + 1], energy.by[3 * a + 2]};
  return force;
}

}  // namespace dropmd::bonded_reference
