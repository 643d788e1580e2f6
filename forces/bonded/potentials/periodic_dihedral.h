#pragma once

#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "core/topology/bonded_terms.h"
#include "forces/bonded/bonded_context.h"
#include "forces/bonded/potentials/bonded_value.h"
#include "forces/bonded/potentials/dihedral_angle.h"

namespace dropmd {

/// The periodic dihedral (GROMACS reference manual, "Proper dihedrals: periodic type"):
///
///   U = k (1 + cos(nφ − φ_0)) = k + c cos nφ + s sin nφ,   c = k cos φ_0,   s = k sin φ_0
///   dU/dφ = −n (c sin nφ − s cos nφ)
///
/// k: energy; φ_0: rad; φ: dihedral_angle.h. The multiples of φ follow from its cosine and sine by the addition
/// theorems, without any other function; n is small. A negative n is that of −φ_0 with the other sign.
struct PeriodicDihedralPotential {
  using Term = PeriodicDihedral;
  static constexpr std::size_t kAtoms = 4;
  static constexpr std::array<std::string_view, 1> kEnergies{Term::kEnergy};
  double k, c, s;
  std::uint32_t multiplicity;

  PeriodicDihedralPotential(const Term& term, const BondedContext&)
      : k(term.k),
        c(term.k * std::cos(term.phase)),
        s(term.k * std::sin(term.multiplicity < 0 ? -term.phase : term.phase)),
        multiplicity(static_cast<std::uint32_t>(std::abs(static_cast<std::int64_t>(term.multiplicity)))) {}

  DROPMD_HOST_DEVICE BondedValue<4> operator()(const Vec3<double> (&x)[4]) const {
    const DihedralAngle phi(x[0], x[1], x[2], x[3]);
    double cosine = 1, sine = 0;
    for (std::uint32_t n = 0; n < multiplicity; ++n) {
      const double last = cosine;
      cosine = cosine * phi.cosine() - sine * phi.sine();
      sine = sine * phi.cosine() + last * phi.sine();
    }
    BondedValue<4> value{{k + (c * cosine + s * sine)}};
    phi.add_forces(multiplicity * (c * sine - s * cosine), value.force);
    return value;
  }
};

}  // namespace dropmd
