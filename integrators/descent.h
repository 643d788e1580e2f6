#pragma once

#include "core/ordered_sum.h"
#include "integrators/integrator.h"

namespace dropmd {

/// Steepest descent with a fixed factor, x += γF: the move of the 2009 program simple_md_gpu. γ: length²/energy
class Descent final : public Integrator {
 public:
  static FormInfo form() {
    return {"descent",
            {{"factor", "length^2/energy", Range::positive, false, /*required=*/false, 0.01, 0.01}},
            "x += factor * F"};
  }

  Descent(const FormChoice& choice, const Units&) : factor_(choice.at("factor")) {}

  void move(Cpu cpu, Particles& p, std::span<const Vec3<double>> force) override {
    for_each_index(cpu, p.size(), [&](std::size_t i) { p.position[i] += factor_ * force[i]; });
  }
  void finish(Cpu, Particles&, std::span<const Vec3<double>>) override {}

  double timestep() const override { return 0; }
  bool is_minimizer() const override { return true; }

 private:
  double factor_;
};

}  // namespace dropmd
