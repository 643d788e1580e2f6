#pragma once

#include "integrators/motion.h"

namespace dropmd {

/// Steepest descent with a fixed factor, x += γF: the step of the 2009 program simple_md_gpu. γ is in length²/energy.
class Descent {
 public:
  static constexpr bool kMinimizer = true, kGloballyCoupled = false, kBath = false, kKeepsMomentum = true,
                        kAllowsSlowForces = false;
  static FormInfo form() {
    return {"descent",
            {{"factor", "length^2/energy", Range::positive, false, /*required=*/false, 0.01, 0.01}},
            "x += factor * F"};
  }

  Descent(const FormChoice& choice, const Units&, const RunContext&) : factor_(choice.at("factor")) {}

  double timestep() const { return 0; }

  DROPMD_HOST_DEVICE void move(MovingAtom& atom, std::uint64_t) const { atom.position += factor_ * atom.force; }
  DROPMD_HOST_DEVICE void finish(MovingAtom&, std::uint64_t) const {}

 private:
  double factor_;
};

}  // namespace dropmd
