#pragma once

#include "core/ordered_sum.h"
#include "integrators/integrator.h"
#include "integrators/motion.h"

namespace dropmd {

/// Applies an integrator to all atoms, on the CPU.
template <Motion X>
class CpuIntegrator final : public Integrator {
 public:
  explicit CpuIntegrator(const X& motion) : motion_(motion) {}

  void move(Cpu cpu, Particles& p, std::span<const Vec3<double>> force, std::uint64_t step,
            std::span<double> heat) override {
    for_each_moving(cpu, p, force, heat, [&](MovingAtom& atom) { motion_.move(atom, step); });
  }

  std::span<const MovePart> parts_of_move() const override { return kParts; }
  void move_part(std::size_t part, Cpu cpu, Particles& p, std::span<const Vec3<double>> force, std::uint64_t step,
                 std::span<double> heat) override {
    for_each_moving(cpu, p, force, heat, [&](MovingAtom& atom) { dropmd::move_part(motion_, part, atom, step); });
  }

  void finish(Cpu cpu, Particles& p, std::span<const Vec3<double>> force, std::uint64_t step) override {
    for_each_velocity(cpu, p, force, {}, [&](MovingAtom& atom) { motion_.finish(atom, step); });
  }

  void couple(Cpu cpu, Particles& p, std::span<const Vec3<double>> force, std::uint64_t step,
              std::span<double> heat) override {
    if constexpr (X::kGloballyCoupled) {
      const auto sums = ordered_sum<MotionSums>(cpu, p.size(), [&](std::size_t i) {
        return p.mass[i] > 0 ? motion_sums(atom_at(p, force, i)) : MotionSums{};
      });
      motion_.couple(sums, step);
      for_each_velocity(cpu, p, force, heat, [&](MovingAtom& atom) { motion_.apply_coupling(atom); });
    }
  }

  double timestep() const override { return motion_.timestep(); }
  bool is_minimizer() const override { return X::kMinimizer; }
  std::optional<bool> converged(double largest_force) const override {
    if constexpr (Converging<X>) return motion_.converged(largest_force);
    return std::nullopt;
  }
  void set_bath_degrees(std::size_t n_dof) override {
    if constexpr (CountsDegrees<X>) motion_.set_degrees(n_dof);
  }
  std::vector<double> internal_state() const override { return internal_state_of(motion_); }
  void load_internal_state(std::span<const double> internal_state) override {
    load_internal_state_of(motion_, internal_state);
  }

 private:
  static constexpr auto kParts = dropmd::parts_of_move<X>();

  static MovingAtom atom_at(const Particles& p, std::span<const Vec3<double>> force, std::size_t i) {
    return {.position = p.position[i],
            .velocity = p.velocity[i],
            .force = force[i],
            .mass = p.mass[i],
            .key = p.id_of(i) - 1,
            .in_bath = p.is_in(i, field::kInBath)};
  }

  template <class Move>
  static void for_each_moving(Cpu cpu, Particles& p, std::span<const Vec3<double>> force, std::span<double> heat,
                              const Move& move) {
    for_each_index(cpu, p.size(), [&](std::size_t i) {
      if (p.mass[i] == 0) return;
      MovingAtom atom = atom_at(p, force, i);
      move(atom);
      p.position[i] = atom.position;
      p.velocity[i] = atom.velocity;
      if (!heat.empty()) heat[i] += atom.heat;
    });
  }

  template <class Change>
  static void for_each_velocity(Cpu cpu, Particles& p, std::span<const Vec3<double>> force, std::span<double> heat,
                                const Change& change) {
    for_each_index(cpu, p.size(), [&](std::size_t i) {
      if (p.mass[i] == 0) return;
      MovingAtom atom = atom_at(p, force, i);
      change(atom);
      p.velocity[i] = atom.velocity;
      if (!heat.empty()) heat[i] += atom.heat;
    });
  }

  X motion_;
};

}  // namespace dropmd
