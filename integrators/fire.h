#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <stdexcept>

#include "integrators/half_kick.h"
#include "integrators/keys.h"
#include "integrators/motion.h"

namespace dropmd {

/// Fast inertial relaxation engine (Bitzek et al., Phys. Rev. Lett. 97, 170201, 2006): molecular dynamics whose
/// velocities are turned towards the forces while the system moves downhill (P = F·v > 0) and set to zero otherwise.
/// The constants are the paper's. An atom moves at most kLongestMove per step, so that a bad start cannot explode.
class Fire {
 public:
  static constexpr bool kMinimizer = true, kGloballyCoupled = true, kBath = false, kKeepsMomentum = true,
                        kAllowsSlowForces = false;
  static FormInfo form() {
    return {
        "fire",
        {timestep_key(), {"force-tolerance", "energy/length", Range::positive, false, /*required=*/false, 1e-6, 1e-6}},
        "minimiser; stops where the largest force is below force-tolerance"};
  }

  Fire(const FormChoice& choice, const Units& units, const RunContext&)
      : acceleration_(units.acceleration),
        tolerance_(choice.at("force-tolerance")),
        dt_(choice.at("timestep")),
        shortest_dt_(kShortestStepRatio * choice.at("timestep")),
        longest_dt_(kLongestStepRatio * choice.at("timestep")) {}

  double timestep() const { return 0; }

  DROPMD_HOST_DEVICE void move(MovingAtom& atom, std::uint64_t) const {
    half_kick(atom, 0.5 * dt_ * acceleration_);
    const Vec3<double> d = dt_ * atom.velocity;
    const double length = std::sqrt(dot(d, d));
    atom.position += length > kLongestMove ? (kLongestMove / length) * d : d;
  }
  DROPMD_HOST_DEVICE void finish(MovingAtom& atom, std::uint64_t) const { half_kick(atom, 0.5 * dt_ * acceleration_); }

  DROPMD_HOST_DEVICE void couple(const MotionSums& sums, std::uint64_t) {
    downhill_ = sums.power > 0;
    if (downhill_) {
      turn_ = mixing_ * std::sqrt(sums.v2 / sums.f2);
      keep_ = 1 - mixing_;
      if (++n_downhill_ > kPatience) {
        dt_ = std::min(dt_ * kFaster, longest_dt_);
        mixing_ *= kMixingDecay;
      }
    } else {
      n_downhill_ = 0;
      dt_ = std::max(dt_ * kSlower, shortest_dt_);
      mixing_ = kMixing;
    }
  }
  DROPMD_HOST_DEVICE void apply_coupling(MovingAtom& atom) const {
    atom.velocity = downhill_ ? keep_ * atom.velocity + turn_ * atom.force : Vec3<double>{};
  }

  DROPMD_HOST_DEVICE bool converged(double largest_force) const { return largest_force < tolerance_; }

  /// Timestep, mixing parameter and number of steps downhill.
  std::array<double, 3> internal_state() const { return {dt_, mixing_, static_cast<double>(n_downhill_)}; }
  /// Throws std::invalid_argument for numbers that no internal state has.
  void load_internal_state(const std::array<double, 3>& internal_state) {
    const auto [dt, mixing, n_downhill] = internal_state;
    constexpr double kMost = 1e9;
    const bool possible = dt >= shortest_dt_ && dt <= longest_dt_ && mixing >= 0 && mixing <= kMixing &&
                          n_downhill >= 0 && n_downhill <= kMost;
    if (!possible) throw std::invalid_argument("no such state of fire");
    dt_ = dt;
    mixing_ = mixing;
    n_downhill_ = static_cast<int>(n_downhill);
  }

 private:
  static constexpr double kMixing = 0.1, kMixingDecay = 0.99, kFaster = 1.1, kSlower = 0.5;
  static constexpr int kPatience = 5;
  /// Limits of the timestep, as multiples of the given one. The lower limit is not in the paper: without it rounding
  /// errors of forces near the minimum would halve the timestep forever.
  static constexpr double kShortestStepRatio = 0.02, kLongestStepRatio = 10;
  static constexpr double kLongestMove = 0.1;  ///< length units

  double acceleration_;
  double tolerance_;
  double dt_;
  double shortest_dt_, longest_dt_;
  double mixing_ = kMixing;
  double keep_ = 1, turn_ = 0;  ///< v becomes keep v + turn F; turn is velocity per force
  int n_downhill_ = 0;          ///< number of consecutive downhill steps
  bool downhill_ = false;       ///< whether the last step was downhill
};

}  // namespace dropmd
