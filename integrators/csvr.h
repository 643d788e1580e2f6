#pragma once

#include <cmath>
#include <cstddef>

#include "core/philox.h"
#include "integrators/gamma_variate.h"
#include "integrators/kinetic_change.h"
#include "integrators/velocity_verlet.h"

namespace dropmd {

/// Velocity Verlet with stochastic velocity rescaling (Bussi, Donadio and Parrinello, J. Chem. Phys. 126, 014101,
/// 2007): after each step v *= α, so that the kinetic energy K follows its canonical distribution with relaxation time
/// τ. The paper's equations A7 and A8, with c = exp(-dt/τ), n degrees of freedom and q = k_B T/(2K), are
///
///   α² = c + q (1 - c) (R₁² + Σ_{i=2}^{n} R_i²) + 2 R₁ sqrt(c q (1 - c)),   sign α = sign(R₁ + sqrt(c/(q (1 - c))))
///
/// α is computed as a = sqrt(c) + sqrt(q (1 - c)) R₁, α² = a² + q (1 - c) Σ_{i=2}^{n} R_i², sign α = sign a, so that α²
/// cannot become negative. The sum over i >= 2 is twice a gamma variate of shape (n - 1)/2. Random numbers are
/// functions of seed and step. As all atoms have the same factor, a total momentum of zero stays zero.
class Csvr {
 public:
  static constexpr bool kMinimizer = false, kGloballyCoupled = true, kBath = true, kKeepsMomentum = true,
                        kAllowsSlowForces = false;
  static FormInfo form() {
    return {"csvr",
            {timestep_key(),
             temperature_key(),
             {"relaxation", "time", Range::positive, /*infinity_allowed=*/true, /*required=*/false, kRelaxationReal,
              kRelaxationLj}},
            "constant temperature: stochastic rescaling of all velocities"};
  }

  Csvr(const FormChoice& choice, const Units& units, const RunContext& run)
      : verlet_(choice, units, run),
        key_{run.seed, RandomPurpose::thermostat},
        n_dof_(static_cast<double>(run.n_dof)),
        root_keep_(std::exp(-0.5 * verlet_.timestep() / choice.at("relaxation"))),
        noise_(-std::expm1(-verlet_.timestep() / choice.at("relaxation")) * units.boltzmann * choice.at("temperature") *
               units.acceleration),
        per_mv2_(0.5 / units.acceleration) {}

  double timestep() const { return verlet_.timestep(); }
  void set_degrees(std::size_t n_dof) { n_dof_ = static_cast<double>(n_dof); }

  DROPMD_HOST_DEVICE void move(MovingAtom& atom, std::uint64_t step) const { verlet_.move(atom, step); }
  DROPMD_HOST_DEVICE void finish(MovingAtom& atom, std::uint64_t step) const { verlet_.finish(atom, step); }

  DROPMD_HOST_DEVICE void couple(const MotionSums& sums, std::uint64_t step) {
    constexpr double kLargest = 1e300;            // reached by atoms at rest: there is no velocity to scale
    const double noise = noise_ / sums.bath_mv2;  // q (1 - c)
    scale_ = 1;
    if (!(n_dof_ > 0) || !(noise < kLargest)) return;
    const double a = root_keep_ + std::sqrt(noise) * normal_vec3(key_, step, 0).x;
    const double others = 2 * gamma_variate(0.5 * (n_dof_ - 1), key_, step, 1);
    scale_ = std::copysign(std::sqrt(a * a + noise * others), a);
  }
  DROPMD_HOST_DEVICE void apply_coupling(MovingAtom& atom) const {
    if (!atom.in_bath) return;
    const Vec3<double> before = atom.velocity;
    atom.velocity *= scale_;
    atom.heat += kinetic_change(per_mv2_, atom.mass, before, atom.velocity);
  }

 private:
  /// Default relaxation time: a hundred default timesteps.
  static constexpr double kRelaxationReal = 100, kRelaxationLj = 0.5;

  VelocityVerlet verlet_;
  RandomKey key_;
  double n_dof_;
  double root_keep_;  ///< sqrt(c)
  double noise_;      ///< (1 - c) k_B T: mass (length/time)²
  double per_mv2_;    ///< kinetic energy per mass (length/time)²
  double scale_ = 1;  ///< α of the last step
};

}  // namespace dropmd
