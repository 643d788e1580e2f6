#pragma once

#include <cmath>
#include <string_view>

#include "core/forms/form.h"
#include "core/macros.h"
#include "core/units.h"
#include "core/vec3.h"
#include "forces/fields/atom_point.h"
#include "forces/force_term.h"

namespace dropmd {

/// A uniform electric field, constant or oscillating: U = −q E(t)·x, F = q E(t), E(t) = E₀ cos(2πft), where t is the
/// time since the start of the run. A one-body term (forces/fields/atom_terms.h).
///
/// E₀ is in V/Å in units real (1 V/Å = 23.06 kcal/mol/e/Å) and in energy/(charge length) in lj; f is in 1/time. The
/// energy of a system with a net charge depends on the origin.
class UniformField {
 public:
  static constexpr std::string_view kSection = "field";
  static constexpr std::string_view kEnergy = "field";
  static constexpr bool kAlwaysListed = false;
  static constexpr Invariance kInvariance{.translation = false, .rotation = false};

  static FormList forms() {
    FormKey strength{"strength", "V/A; lj: energy/charge/length", Range::any};
    strength.vector = true;
    const FormKey frequency{"frequency", "1/time", Range::not_negative, false, /*required=*/false, 0.0, 0.0};
    return {{"uniform", {strength, frequency}, "F = q E cos(2 pi f t)"}};
  }

  UniformField() = default;
  UniformField(const FormChoice& choice, const Units& units)
      : strength_((units.system == UnitSystem::real ? 1 / kVoltPerEnergy : 1.0) * choice.vector_at("strength")),
        frequency_(choice.at("frequency")),
        acts_(true) {}

  /// forces/fields/atom_terms.h describes these functions.
  DROPMD_HOST_DEVICE bool acts() const { return acts_; }
  DROPMD_HOST_DEVICE AtomTermValue operator()(const AtomPoint& atom) const {
    if (!acts_) return {};
    const Vec3<double> force = (*atom.charge * amplitude(frequency_, atom.time)) * strength_;
    return {-dot(force, atom.position), force};
  }

  DROPMD_HOST_DEVICE bool driven() const { return acts_ && frequency_ != 0; }
  DROPMD_HOST_DEVICE double energy_change(const AtomPoint& atom, double until) const {
    const double change = amplitude(frequency_, until) - amplitude(frequency_, atom.time);
    return -*atom.charge * change * dot(strength_, atom.position);
  }

 private:
  /// Returns cos(2πft), from the phase within the period, so that a long run keeps all digits.
  static DROPMD_HOST_DEVICE DROPMD_OUTLINED double amplitude(double frequency, double time) {
    if (frequency == 0) return 1;
    const double turns = frequency * time, phase = 2 * (turns - floor(turns));
#if defined(__CUDA_ARCH__)
    return cospi(phase);  // takes half turns; cos() would include its path for large arguments
#else
    constexpr double kPi = 3.14159265358979323846;
    return cos(kPi * phase);
#endif
  }

  Vec3<double> strength_{};
  double frequency_ = 0;
  bool acts_ = false;
};

}  // namespace dropmd
