#pragma once

#include <array>
#include <cstddef>
#include <string_view>

#include "core/topology/bonded_terms.h"
#include "forces/bonded/bonded_context.h"
#include "forces/bonded/potentials/bonded_value.h"
#include "forces/bonded/potentials/dihedral_angle.h"

namespace dropmd {

/// The dihedral of Ryckaert and Bellemans (GROMACS reference manual, "Proper dihedrals: Ryckaert-Bellemans function"),
/// with ψ = φ − 180°, so that cos ψ = −cos φ:
///
///   U = Σ c_n cosⁿ ψ, n = 0 to 5,   dU/dφ = −sin ψ Σ n c_n cosⁿ⁻¹ ψ = sin φ Σ n c_n cosⁿ⁻¹ ψ
///
/// c_n: energy; φ: dihedral_angle.h.
struct RyckaertBellemansPotential {
  using Term = RyckaertBellemans;
  static constexpr std::size_t kAtoms = 4;
  static constexpr std::array<std::string_view, 1> kEnergies{Term::kEnergy};
  static constexpr int kDegree = 5;
  double c[kDegree + 1];

  RyckaertBellemansPotential(const Term& term, const BondedContext&)
      : c{term.c[0], term.c[1], term.c[2], term.c[3], term.c[4], term.c[5]} {}

  DROPMD_HOST_DEVICE BondedValue<4> operator()(const Vec3<double> (&x)[4]) const {
    const DihedralAngle phi(x[0], x[1], x[2], x[3]);
    const double cos_psi = -phi.cosine();
    double sum = c[kDegree], slope = 0;  // Horner's rule
    DROPMD_UNROLL
    for (int n = kDegree - 1; n >= 0; --n) {
      slope = slope * cos_psi + sum;
      sum = sum * cos_psi + c[n];
    }
    BondedValue<4> value{{sum}};
    phi.add_forces(-phi.sine() * slope, value.force);
    return value;
  }
};

}  // namespace dropmd
