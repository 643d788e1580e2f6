#include "engine/force_errors.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace dropmd {

Bounds bounds_of(Precision precision) {
  return precision == Precision::mixed ? Bounds{1e-6, 5e-6, 3e-4} : Bounds{1e-12, 1e-12, 1e-12};
}

Bounds bounds_of(const System& system, Precision precision, double scale) {
  constexpr double kWorst = 30;
  Bounds bounds = bounds_of(precision);
  if (!system.mesh || !(scale > 0)) return bounds;
  const double accuracy = system.mesh->accuracy * system.mesh->force / scale;
  return {bounds.energy + system.mesh->accuracy, bounds.rms_force + accuracy, bounds.worst_force + kWorst * accuracy};
}

std::vector<std::uint32_t> even_sample(std::size_t n, std::size_t most) {
  std::vector<std::uint32_t> atoms(std::min(n, most));
  for (std::size_t k = 0; k < atoms.size(); ++k) atoms[k] = static_cast<std::uint32_t>(k * n / atoms.size());
  return atoms;
}

double scale_of_terms(std::span<const AtomSums> atoms) {
  double sum = 0;
  for (const AtomSums& a : atoms) sum += a.terms2 / static_cast<double>(atoms.size());
  return 0.1 * std::sqrt(sum);
}

ForceErrors force_errors(std::span<const Vec3<double>> force, std::span<const std::uint32_t> sample,
                         std::span<const AtomSums> reference, Precision precision, double least_scale) {
  ForceErrors errors;
  double reference2 = 0, error2 = 0;
  for (std::size_t k = 0; k < sample.size(); ++k) {
    double e = norm(force[sample[k]] - reference[k].force);
    if (precision == Precision::mixed && e <= reference[k].undecided) e = 0;
    if (precision == Precision::mixed && e > 0) e -= reference[k].undecided;
    reference2 += dot(reference[k].force, reference[k].force);
    error2 += e * e;
    if (k == 0 || (!(e <= errors.worst) && !std::isnan(errors.worst))) {  // NaN counts as the worst
      errors.worst = e;
      errors.worst_atom = sample[k];
    }
  }
  const auto n = static_cast<double>(sample.size());
  const double scale = std::max(std::sqrt(reference2 / n), least_scale);
  errors.scale = scale;
  if (!(scale > 0)) {  // without forces any force is an error of unknown scale
    errors.rms = errors.worst = error2 == 0 ? 0 : std::numeric_limits<double>::infinity();
    return errors;
  }
  errors.rms = std::sqrt(error2 / n) / scale;
  errors.worst /= scale;
  return errors;
}

}  // namespace dropmd
