#pragma once

#include "core/ordered_sum.h"
#include "integrators/half_kick.h"
#include "integrators/integrator.h"
#include "integrators/keys.h"

namespace dropmd {

/// Velocity Verlet (Swope et al. 1982), constant energy:
///
///   v(t + dt/2) = v(t) + dt/2 F(t)/m,   x(t + dt) = x(t) + dt v(t + dt/2),
///   v(t + dt) = v(t + dt/2) + dt/2 F(t + dt)/m
class VelocityVerlet final : public Integrator {
 public:
  static FormInfo form() { return {"velocity-verlet", {timestep_key()}, "constant energy"}; }

  VelocityVerlet(const FormChoice& choice, const Units& units)
      : dt_(choice.at("timestep")), acceleration_(units.acceleration) {}

  void move(Cpu cpu, Particles& p, std::span<const Vec3<double>> force) override {
    half_kick(cpu, p, force, 0.5 * dt_ * acceleration_);
    for_each_index(cpu, p.size(), [&](std::size_t i) { p.position[i] += dt_ * p.velocity[i]; });
  }
  void finish(Cpu cpu, Particles& p, std::span<const Vec3<double>> force) override {
    half_kick(cpu, p, force, 0.5 * dt_ * acceleration_);
  }

  double timestep() const override { return dt_; }
  bool is_minimizer() const override { return false; }

 private:
  double dt_;
  double acceleration_;
};

}  // namespace dropmd
