#pragma once

#include <algorithm>
#include <cmath>

#include "core/ordered_sum.h"
#include "integrators/half_kick.h"
#include "integrators/integrator.h"
#include "integrators/keys.h"

namespace dropmd {

/// Fast inertial relaxation engine (Bitzek et al., Phys. Rev. Lett. 97, 170201, 2006): molecular dynamics whose
/// velocities are turned towards the forces while it runs downhill (P = F·v > 0) and stopped where it does not.
/// Constants are the paper's; one move of an atom is limited to kLongestMove, so that a bad start cannot explode.
class Fire final : public Integrator {
 public:
  static FormInfo form() {
    return {
        "fire",
        {timestep_key(), {"force-tolerance", "energy/length", Range::positive, false, /*required=*/false, 1e-6, 1e-6}},
        "minimiser; stops where the largest force is below force-tolerance"};
  }

  Fire(const FormChoice& choice, const Units& units)
      : acceleration_(units.acceleration),
        tolerance_(choice.at("force-tolerance")),
        dt_(choice.at("timestep")),
        shortest_dt_(kShortestStepRatio * choice.at("timestep")),
        longest_dt_(kLongestStepRatio * choice.at("timestep")) {}

  void move(Cpu cpu, Particles& p, std::span<const Vec3<double>> force) override {
    half_kick(cpu, p, force, 0.5 * dt_ * acceleration_);
    for_each_index(cpu, p.size(), [&](std::size_t i) {
      const Vec3<double> d = dt_ * p.velocity[i];
      const double length = norm(d);
      p.position[i] += length > kLongestMove ? (kLongestMove / length) * d : d;
    });
  }

  void finish(Cpu cpu, Particles& p, std::span<const Vec3<double>> force) override {
    half_kick(cpu, p, force, 0.5 * dt_ * acceleration_);
    const auto sum = [&](const auto& a, const auto& b) {
      return ordered_sum<double>(cpu, p.size(), [&](std::size_t i) { return dot(a[i], b[i]); });
    };
    const double power = sum(force, p.velocity);
    if (power > 0) {
      const double turn = mixing_ * std::sqrt(sum(p.velocity, p.velocity) / sum(force, force));
      for_each_index(cpu, p.size(),
                     [&](std::size_t i) { p.velocity[i] = (1 - mixing_) * p.velocity[i] + turn * force[i]; });
      if (++downhill_ > kPatience) {
        dt_ = std::min(dt_ * kFaster, longest_dt_);
        mixing_ *= kMixingDecay;
      }
    } else {
      downhill_ = 0;
      dt_ = std::max(dt_ * kSlower, shortest_dt_);
      mixing_ = kMixing;
      for_each_index(cpu, p.size(), [&](std::size_t i) { p.velocity[i] = {}; });
    }
  }

  double timestep() const override { return 0; }
  bool is_minimizer() const override { return true; }

  std::optional<bool> converged(double largest_force) const override { return largest_force < tolerance_; }

 private:
  static constexpr double kMixing = 0.1, kMixingDecay = 0.99, kFaster = 1.1, kSlower = 0.5;
  static constexpr int kPatience = 5;
  /// Of the given timestep. The lower limit is not the paper's: rounding of forces near the minimum would otherwise
  /// halve the timestep for ever.
  static constexpr double kShortestStepRatio = 0.02, kLongestStepRatio = 10;
  static constexpr double kLongestMove = 0.1;  ///< length units

  double acceleration_;
  double tolerance_;
  double dt_;
  double shortest_dt_, longest_dt_;
  double mixing_ = kMixing;
  int downhill_ = 0;
};

}  // namespace dropmd
